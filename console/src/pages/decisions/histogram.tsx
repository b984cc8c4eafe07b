/** Decisions over time. Dragging over the bars, or the keyboard, chooses the range of the list. */
import { useMemo, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { useRead } from '../../api/use-api.ts'
import type { StatsBody } from '../../api/wire.ts'
import { fieldOf } from '../../query/query-text.ts'
import { formatCount, formatTime } from '../../text/format.ts'
import { visible } from '../../text/visible.ts'
import { QueryProblem } from '../../ui/loaded.tsx'
import { useZone } from '../../ui/preferences.ts'
import { barsOf } from './histogram-bars.ts'
import type { Bar } from './histogram-bars.ts'
import { rangeDefault, rangeOf, useListState } from './use-list-state.ts'

export function Histogram() {
  const [state] = useListState()
  const [zone] = useZone()
  const [agent_id, domain] = [fieldOf(state.q, 'agent'), fieldOf(state.q, 'domain')]
  const parameters = new URLSearchParams({
    group_by: 'verdict',
    tz: zone,
    from: rangeDefault,
    ...rangeOf(state),
    ...(agent_id !== '' && { agent_id }),
    ...(domain !== '' && !domain.includes(',') && { domain })
  })
  const query = useRead<StatsBody>(`/v1/decisions/stats?${parameters}`)
  const { data } = query
  const bars = useMemo(() => (data === undefined ? [] : barsOf(data)), [data])
  const [first] = bars
  return (
    <figure className="histogram">
      <QueryProblem query={query} />
      <Bars key={first?.from} bars={bars} />
      <figcaption className="quiet">
        Decisions{first !== undefined && ` since ${formatTime(first.from, zone)}`}
        {agent_id !== '' && `, agent ${visible(agent_id)}`}
        {parameters.has('domain') && `, domain ${visible(domain)}`}. Red: verdict fail or mixed.
      </figcaption>
    </figure>
  )
}

interface Selection {
  /** Indexes of the bar where the selection began and of the active one. */
  readonly anchor: number
  readonly active: number
}

function Bars({ bars }: { readonly bars: readonly Bar[] }) {
  const [, setState] = useListState()
  const [zone] = useZone()
  const [isDragging, setIsDragging] = useState(false)
  const [{ anchor, active }, select] = useState<Selection>({ anchor: -1, active: -1 })
  const [first, last] = [Math.min(anchor, active), Math.max(anchor, active)]
  const most = Math.max(1, ...bars.map(({ total }) => total))
  const choose = (): void => {
    setIsDragging(false)
    const [from, to] = [bars[first]?.from, bars[last]?.to]
    if (from !== undefined && to !== undefined) void setState({ from, to, peek: null })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, Enter: 0 }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (step === 0) return choose()
    const next = Math.min(bars.length - 1, Math.max(0, active + step))
    select({ anchor: event.shiftKey && anchor >= 0 ? anchor : next, active: next })
  }
  return (
    <div
      className="bars"
      role="listbox"
      tabIndex={0}
      aria-multiselectable="true"
      aria-label="Decisions over time. Arrows move, Shift extends, Enter sets the range."
      aria-activedescendant={active >= 0 ? `bar-${active}` : undefined}
      onKeyDown={onKeyDown}
      onPointerUp={() => isDragging && choose()}
      onPointerLeave={() => setIsDragging(false)}
    >
      {bars.map((bar, index) => {
        const counts = `${formatCount(bar.total, 'decision')}, ${bar.failed} failed`
        const name = `${formatTime(bar.from, zone)}: ${counts}`
        return (
          <span
            key={bar.from}
            id={`bar-${index}`}
            role="option"
            aria-selected={index >= first && index <= last && active >= 0}
            aria-label={name}
            title={name}
            onPointerDown={() => {
              setIsDragging(true)
              select({ anchor: index, active: index })
            }}
            onPointerEnter={() => isDragging && select({ anchor, active: index })}
          >
            <span className="bar" style={{ height: `${(100 * bar.total) / most}%` }} />
            <span className="bar failed" style={{ height: `${(100 * bar.failed) / most}%` }} />
          </span>
        )
      })}
    </div>
  )
}
