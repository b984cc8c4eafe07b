/** The list of decisions: virtual rows of one height, moved through with the keyboard. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import { useSearch } from 'wouter/use-browser-location'
import type { DecisionSummary } from '../../api/wire.ts'
import type { MissingRows } from '../../live/tail-buffer.ts'
import { columnPixels, columns, tracksOf } from './columns.ts'
import { DecisionRow, GapRow, rowId } from './decision-row.tsx'
import { useRowMenu } from './row-menu.tsx'
import { chosenColumns, useListState } from './use-list-state.ts'

const rowHeight = 32
const overscan = 8

interface DecisionTableProps {
  readonly rows: readonly (DecisionSummary | MissingRows)[]
  readonly hasMore: boolean
  /** Index of the active row; -1 if there is none. */
  readonly active: number
  readonly onPeek: (index: number) => void
  /** Called when the last row is near. */
  readonly onEnd: () => void
}

export function DecisionTable({ rows, hasMore, active, onPeek, onEnd }: DecisionTableProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const listQuery = useSearch()
  const [state] = useListState()
  const shown = useMemo(() => chosenColumns(state), [state])
  const activeRow = rows[active]
  const { menu, onMenu } = useRowMenu(
    shown,
    activeRow === undefined || 'gap' in activeRow ? undefined : activeRow
  )
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
    // The header row covers the top of the scroller.
    scrollPaddingStart: rowHeight,
    paddingStart: rowHeight
  })
  const size = { height: virtualizer.getTotalSize(), minWidth: columnPixels * shown.length }
  const items = virtualizer.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows.length - overscan) onEnd()
  }, [last, rows.length, onEnd])
  useEffect(() => {
    if (active >= 0) virtualizer.scrollToIndex(active)
  }, [active, virtualizer])
  return (
    <div
      ref={scroller}
      className="table"
      role="grid"
      tabIndex={0}
      aria-label="Decisions"
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-activedescendant={active >= 0 ? rowId(active) : undefined}
    >
      {menu}
      <div role="rowgroup" style={size}>
        <HeadRow shown={shown} />
        {items.map(({ index, start }) => {
          const decision = rows[index]
          if (decision === undefined) return null
          const top = start - rowHeight
          if ('gap' in decision) return <GapRow key={index} {...decision} {...{ index, top }} />
          return (
            <DecisionRow
              key={decision.decision_id}
              {...{ decision, index, top, shown, listQuery, onPeek, onMenu }}
              isActive={index === active}
            />
          )
        })}
      </div>
    </div>
  )
}

function HeadRow({ shown }: { readonly shown: readonly string[] }) {
  return (
    <div
      role="row"
      className="row head"
      aria-rowindex={1}
      style={{ gridTemplateColumns: tracksOf(shown) }}
    >
      {shown.map((name) => (
        <span key={name} role="columnheader">
          {columns[name]?.title}
        </span>
      ))}
    </div>
  )
}
