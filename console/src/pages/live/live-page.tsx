/** New decisions as they are stored, newest on top. The position of the reader never moves. */
import { useEffect, useState } from 'react'
import { tailFilters } from '../../live/tail-buffer.ts'
import type { TailView } from '../../live/tail-buffer.ts'
import { useLive } from '../../live/use-live.ts'
import { parseQuery } from '../../query/parse-query.ts'
import { formatNumber } from '../../text/format.ts'
import { useTitle } from '../../ui/page.tsx'
import { DecisionTable } from '../decisions/decision-table.tsx'
import { Peek } from '../decisions/peek.tsx'
import { QueryBar } from '../decisions/query-bar.tsx'
import { useActiveRow } from '../decisions/use-active-row.ts'
import { useListState } from '../decisions/use-list-state.ts'

export function LivePage() {
  useTitle('Live')
  const [{ q }] = useListState()
  const [isPaused, setPaused] = useState(false)
  const [isRead, setRead] = useState({ hovered: false, scrolled: false, selected: false })
  const isFrozen = isPaused || Object.values(isRead).includes(true)
  const view = useLive(q, isFrozen)
  const { active, peek, showPeek, close } = useActiveRow(view.rows)
  const note = (change: Partial<typeof isRead>) => setRead((before) => ({ ...before, ...change }))
  useEffect(() => note({ selected: active >= 0 }), [active])
  const resume = (): void => {
    setPaused(false)
    showPeek(-1)
    document.querySelector('.table')?.scrollTo(0, 0)
  }
  const table = { hasMore: false, active, onPeek: showPeek, onEnd: () => {} }
  const filters = Object.keys(parseQuery(q).search)
  const unsupported = filters.filter((name) => !tailFilters.includes(name)).join(', ')
  return (
    <main className="list-page">
      <header className="page-head">
        <h1>Live</h1>
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          Pause
        </button>
        <button type="button" className="primary" onClick={resume}>
          {isFrozen ? `${formatNumber(view.fresh)} new` : 'Following'}
        </button>
        <LiveStatus {...view} />
      </header>
      <QueryBar isLive />
      {unsupported !== '' && <p className="notice">Live ignores {unsupported}.</p>}
      <div className="split">
        <section
          className="list"
          aria-label="New decisions"
          onPointerEnter={({ pointerType }) => note({ hovered: pointerType === 'mouse' })}
          onPointerLeave={() => note({ hovered: false })}
          onScrollCapture={({ target }) => note({ scrolled: (target as Element).scrollTop > 0 })}
        >
          {view.rows.length === 0 ? (
            <p className="list-state">No decision has arrived since you opened this page.</p>
          ) : (
            <DecisionTable {...table} rows={view.rows} />
          )}
        </section>
        {peek !== null && <Peek key={peek} id={peek} onClose={close} />}
      </div>
    </main>
  )
}

function LiveStatus({ lastEventMs, cut }: TailView) {
  const [nowMs, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const secondsTo = (ms: number): number => Math.max(0, Math.round(Math.abs(ms - nowMs) / 1000))
  if (cut !== null) {
    const words = `${cut.reason} Reconnecting in ${secondsTo(cut.retryAtMs)} s.`
    return <p className="notice">{words}</p>
  }
  return lastEventMs !== null && <p className="quiet">Last event {secondsTo(lastEventMs)} s ago</p>
}
