/** Draws trends with uPlot. A missing value is a gap, and no line crosses a mark. */
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatTime } from '../text/format.ts'
import { useTheme, useZone } from './preferences.ts'

export interface LineChartProps {
  /** All have points at the same times. */
  readonly lines: readonly {
    readonly name: string
    readonly points: readonly { readonly t: string; readonly value: number | null }[]
  }[]
  /** Times at which the values before and after are not comparable. */
  readonly marks: readonly { readonly at: string; readonly label: string }[]
  readonly format: (value: number) => string
  /** The end of the vertical axis. Default: slightly more than the largest value. */
  readonly max?: number | undefined
}

const height = 190
/** Each has a contrast of at least 3:1 in both themes. */
const colors = ['#2f7fd6', '#c2571a', '#2a9158', '#9a5fc9'] as const

export function LineChart(props: LineChartProps) {
  const { lines, marks } = props
  const host = useRef<HTMLDivElement>(null)
  const [zone] = useZone()
  const [theme] = useTheme()
  useEffect(() => {
    const element = host.current
    if (element === null) return
    const times = lines[0]?.points.map(({ t }) => secondsOf(t)) ?? []
    const values = lines.map(({ points }) => points.map(({ value }) => value))
    const chart = new uPlot(optionsOf(props, element, zone), [times, ...values], element)
    const resizes = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    resizes.observe(element)
    return () => {
      resizes.disconnect()
      chart.destroy()
    }
  }, [JSON.stringify([lines, marks]), zone, theme])
  return <div ref={host} className="plot" />
}

function secondsOf(iso: string): number {
  return Date.parse(iso) / 1000
}

function optionsOf(props: LineChartProps, element: HTMLElement, zone: string): uPlot.Options {
  const { lines, marks, format, max } = props
  const timeOf = (seconds: number): string =>
    formatTime(new Date(seconds * 1000).toISOString(), zone).slice(0, 16)
  const tickOf = (time: string): string =>
    time.endsWith('00:00') ? time.slice(5, 10) : time.slice(11)
  const stroke = (): string => getComputedStyle(element).color
  const axis = { stroke, grid: { stroke: 'rgb(128 128 128 / 22%)', width: 1 } }
  const gaps: uPlot.Series['gaps'] = (chart, ...[, , , found]) =>
    [...found, ...marks.map(({ at }) => gapBefore(chart, secondsOf(at)))].sort(([a], [b]) => a - b)
  return {
    width: element.clientWidth,
    height,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
    cursor: { y: false, drag: { x: false } },
    scales: { y: { range: (_, least, most) => [Math.min(0, least), max ?? (most * 1.1 || 1)] } },
    axes: [
      { ...axis, values: (_, at) => at.map((each) => tickOf(timeOf(each))) },
      { ...axis, size: 64, values: (_, at) => at.map(format) }
    ],
    series: [
      { label: 'Time', value: (_, at: number | null) => (at === null ? '–' : timeOf(at)) },
      ...lines.map(({ name }, index) => ({
        label: name,
        stroke: colors[index % colors.length] ?? colors[0],
        width: 2,
        gaps,
        points: { show: true, size: 5 },
        value: (_: uPlot, value: number | null) => (value === null ? '–' : format(value))
      }))
    ],
    hooks: { draw: [(chart) => marks.forEach((mark) => drawMark(chart, mark))] }
  }
}

/** Returns the gap from the last point before a time, in pixels. */
function gapBefore(chart: uPlot, at: number): [number, number] {
  const before = [...chart.data[0]].findLast((time) => time < at) ?? at
  return [chart.valToPos(before, 'x', true), chart.valToPos(at, 'x', true)]
}

function drawMark({ ctx, bbox, root, valToPos }: uPlot, { at, label }: LineChartProps['marks'][0]) {
  const x = Math.round(valToPos(secondsOf(at), 'x', true))
  const isRight = x > bbox.left + bbox.width / 2
  ctx.save()
  ctx.fillStyle = ctx.strokeStyle = getComputedStyle(root).color
  ctx.font = `${12 * uPlot.pxRatio}px system-ui, sans-serif`
  ctx.textAlign = isRight ? 'right' : 'left'
  ctx.fillText(label, x + (isRight ? -6 : 6), bbox.top + bbox.height - 6)
  ctx.setLineDash([4, 4])
  ctx.stroke(new Path2D(`M${x} ${bbox.top}v${bbox.height}`))
  ctx.restore()
}
