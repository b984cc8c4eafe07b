/** Displays the rows of a text. Draws only the visible ones. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useId } from 'react'
import type { RefObject } from 'react'
import type { Found } from './find.ts'
import { isFolded } from './fold.ts'
import type { TextIndex } from './index-text.ts'
import { JsonRow } from './json-row.tsx'
import { handleRowKey } from './row-keys.ts'
import type { Rows } from './use-rows.ts'

/** Height of a row in pixels, as in json-view.css. */
const rowHeight = 20
const overscan = 4

interface JsonRowsProps {
  readonly label: string
  readonly index: TextIndex | null
  readonly rows: Rows
  readonly found: Found
  readonly scroller: RefObject<HTMLDivElement | null>
}

export function JsonRows({ label, index, rows, found, scroller }: JsonRowsProps) {
  const { visible, cursor, row, folds } = rows
  const id = useId()
  const virtual = useVirtualizer({
    count: visible.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan
  })
  useEffect(() => {
    virtual.scrollToIndex(row)
    // A move of the cursor scrolls; a change of the width or of a fold alone does not.
  }, [cursor])
  const items = virtual.getVirtualItems()
  const isDrawn = items.some((item) => item.index === row)

  return (
    <div
      ref={scroller}
      className="json-rows"
      role={index?.isJson === true ? 'treegrid' : 'grid'}
      tabIndex={0}
      aria-label={`${label}, lines`}
      aria-rowcount={visible.length}
      aria-activedescendant={isDrawn ? `${id}-${row}` : undefined}
      onKeyDown={(event) => handleRowKey(event, index, rows)}
      onClick={(event) => selectRow(event.target, rows)}
    >
      <div className="json-canvas" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const line = visible[item.index]
          if (index === null || line === undefined) return null
          return (
            <JsonRow
              key={item.key}
              {...{ id: `${id}-${item.index}`, index, line, row: item.index, found }}
              top={item.start}
              isSelected={item.index === row}
              isFolded={isFolded(index.lines, folds, line)}
            />
          )
        })}
      </div>
    </div>
  )
}

/** Selects the clicked row. A click on its fold mark also folds or unfolds it. */
function selectRow(target: EventTarget, rows: Rows): void {
  if (!(target instanceof Element)) return
  const row = Number(target.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? Number.NaN)
  const line = rows.visible[row]
  if (line === undefined) return
  if (target.matches('.json-fold')) rows.toggle(line)
  else rows.moveToRow(row)
}
