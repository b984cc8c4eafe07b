/** Charts of metrics of an agent, each with its table and its value in the previous window. */
import { lazy, Suspense, useState } from 'react'
import type { ComponentType, ReactNode } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/use-api.ts'
import type { StatsBody } from '../../api/wire.ts'
import { quoteValue } from '../../query/query-text.ts'
import { formatNumber, formatShare, formatUsd } from '../../text/format.ts'
import { visible } from '../../text/visible.ts'
import { DataTable } from '../../ui/data-table.tsx'
import type { LineChartProps } from '../../ui/line-chart.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { useZone } from '../../ui/preferences.ts'
import { Rate } from '../../ui/rate.tsx'
import { Time } from '../../ui/time.tsx'
import { agentPath, useAgentState } from './agent-state.tsx'

/** uPlot fails to load in a browser whose locale Intl rejects. */
const LineChart = lazy(async (): Promise<{ default: ComponentType<LineChartProps> }> => {
  const loaded = await import('../../ui/line-chart.tsx').catch(() => null)
  return { default: loaded?.LineChart ?? (() => 'The chart could not be loaded.') }
})

/** Maximum number of metrics of a request. */
const metricsMax = 8

/** `none` is shown if no decision has a value. */
type Metric = { title: string; none: string; format: (value: number) => string; max?: number }

export const metrics: Readonly<Record<string, Metric>> = {
  count: { title: 'Decisions', none: 'none', format: formatNumber },
  pass_rate: { title: 'Pass rate', none: 'no verdict', format: formatShare, max: 1 },
  error_rate: { title: 'Error rate', none: 'not sent', format: formatShare, max: 1 },
  latency_ms: { title: 'Mean latency in ms', none: 'not sent', format: formatNumber },
  input_tokens: { title: 'Input tokens', none: 'not sent', format: formatNumber },
  output_tokens: { title: 'Output tokens', none: 'not sent', format: formatNumber },
  cost: { title: 'Cost', none: 'no price', format: formatUsd }
}

/** Reads the trends of metrics in the chosen window and time zone. */
function useTrends(id: string, names: readonly string[]) {
  const [{ window }] = useAgentState()
  const [tz] = useZone()
  // The API separates the names by commas, so it cannot read a score with one.
  const possible = [...new Set(names)].filter((name) => !name.includes(',')).slice(0, metricsMax)
  const query = { window, tz, compare: 'previous', metrics: possible.join(',') }
  return useRead<StatsBody>(possible.length === 0 ? null : agentPath(id, '/timeseries', query))
}

interface TrendsProps {
  readonly id: string
  readonly names: readonly string[]
  /** Scores with several evaluator versions, each of which changes the pass rate. */
  readonly changed?: readonly string[]
}

export function Trends({ id, names, changed = [] }: TrendsProps) {
  const scores = useTrends(id, changed)
  const query = useTrends(id, names)
  return (
    <>
      {new Set(names).size > metricsMax && (
        <p>Trends are shown for the first {metricsMax} scores only.</p>
      )}
      <Loaded query={query} what="the trends">
        {({ series, breaks, meta: { applied } }) => (
          <div className="trends">
            {[...Map.groupBy(series, ({ metric }) => metric)].map(([metric, lines]) => {
              const own = breaks.filter((each) => each.metric === metric)
              const shown = metric === 'pass_rate' ? (scores.data?.breaks ?? []) : own
              return (
                <Trend key={metric} {...{ id, metric, lines }} breaks={shown} end={applied.to} />
              )
            })}
          </div>
        )}
      </Loaded>
    </>
  )
}

interface TrendProps extends Pick<StatsBody, 'breaks'> {
  readonly id: string
  readonly metric: string
  /** One for each source and evaluator version. */
  readonly lines: StatsBody['series']
  readonly end: string
}

function Trend({ id, metric, lines, breaks, end }: TrendProps) {
  const score = metric.replace('score:', '')
  const ofScore = { title: `Mean of ${visible(score)}`, none: 'no value', format: formatNumber }
  const known = metrics[metric]
  const { title, none, format, max }: Metric = known ?? ofScore
  const term = known === undefined ? ` score.${quoteValue(score)}:exists` : ''
  const named = lines.map((line) => {
    const version = line.version === null ? '' : ` v${line.version}`
    return { ...line, name: line.source === null ? title : `${line.source}${version}` }
  })
  const show = (measure: ShownMeasure) => <Rate {...{ measure, format, none }} />
  return (
    <section>
      <h2>{title}</h2>
      {named.map(({ name, total, previous }) => (
        <p key={name}>
          {named.length > 1 && `${name}: `}
          {show(total)} <span className="quiet">· previous window:</span>{' '}
          {previous && show(previous)}
        </p>
      ))}
      {named.some(({ total }) => total.value !== null) && (
        <Chart
          {...{ title, show, format, max, end }}
          query={`agent:${quoteValue(id)}${term}`}
          lines={named}
          marks={breaks.map((each) => {
            const name = visible(each.metric.replace('score:', ''))
            return { at: each.at, label: `${name} v${each.from_version} → v${each.to_version}` }
          })}
        />
      )}
    </section>
  )
}

type ShownMeasure = StatsBody['series'][number]['total']

interface ChartProps extends Omit<LineChartProps, 'lines'> {
  readonly title: string
  readonly lines: readonly (StatsBody['series'][number] & { readonly name: string })[]
  readonly show: (measure: ShownMeasure) => ReactNode
  /** The end of the last point. Others end where the next one begins. */
  readonly end: string
  /** The query of the list of decisions that the points summarize. */
  readonly query: string
}

function Chart({ title, lines, show, end, query, ...chart }: ChartProps) {
  const [isTable, setIsTable] = useState(false)
  const starts = lines[0]?.points.map(({ t }) => t) ?? []
  const linkOf = (index: number) => {
    const [from = end, to = end] = starts.slice(index)
    const search = new URLSearchParams({ q: query, from, to })
    return (
      <Link href={`/decisions?${search.toString()}`}>
        <Time iso={from} />
      </Link>
    )
  }
  const columns = lines.map(({ name, points }) => {
    return { name, cell: (index: number) => points[index] && show(points[index]) }
  })
  return (
    <>
      <div role="img" aria-label={`${title}. The table has the same values.`}>
        <Suspense fallback={<div className="plot" />}>
          <LineChart {...chart} lines={lines} />
        </Suspense>
      </div>
      {chart.marks.map(({ at, label }) => (
        <p key={at + label} className="quiet">
          {label} at <Time iso={at} />: values before and after are not comparable.
        </p>
      ))}
      <details onToggle={(event) => setIsTable(event.currentTarget.open)}>
        <summary>Table of {title}</summary>
        {isTable && (
          <DataTable
            label={title}
            columns={[{ name: 'From', cell: linkOf }, ...columns]}
            rows={[...starts.keys()]}
            keyOf={String}
          />
        )}
      </details>
    </>
  )
}
