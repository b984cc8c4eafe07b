/** The menu of a row: filter by one of its values, or copy it. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { DecisionSummary } from '../../api/wire.ts'
import { queryFields } from '../../query/query-fields.ts'
import { withField } from '../../query/query-text.ts'
import { visible } from '../../text/visible.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useKeys } from '../../ui/use-keys.ts'
import { columns } from './columns.ts'
import { useListState } from './use-list-state.ts'

interface RowMenuProps {
  readonly decision: DecisionSummary
  /** The names of the columns. */
  readonly shown: readonly string[]
  readonly place: { readonly left: number; readonly top: number }
  readonly onClose: () => void
}

/** Returns the menu if it is open, and a function that opens it at a position on the screen. */
export function useRowMenu(shown: readonly string[], active: DecisionSummary | undefined) {
  const [open, setOpen] = useState<Pick<RowMenuProps, 'decision' | 'place'> | null>(null)
  const onMenu = useCallback((decision: DecisionSummary, left: number, top: number) => {
    setOpen({ decision, place: { left, top } })
  }, [])
  useKeys({
    m: () => {
      const row = document.querySelector('.row[aria-selected=true]')?.getBoundingClientRect()
      if (active && row) onMenu(active, row.left, row.bottom)
    }
  })
  const menu = open && <RowMenu {...open} shown={shown} onClose={() => setOpen(null)} />
  return { menu, onMenu }
}

function RowMenu({ decision, shown, place, onClose }: RowMenuProps) {
  const element = useRef<HTMLDivElement>(null)
  const [{ q }, setState] = useListState()
  useEffect(() => {
    element.current?.showPopover()
    element.current?.querySelector('button')?.focus()
  }, [decision])
  return (
    <div
      ref={element}
      {...{ popover: 'auto', role: 'group', className: 'menu at-point', style: place }}
      aria-label="Values of the decision"
      onToggle={(event) => event.newState === 'closed' && onClose()}
    >
      {shown.map((name) => {
        const { title, textOf } = columns[name] ?? {}
        const text = textOf?.(decision) ?? null
        if (text === null || title === undefined) return null
        const include = (): void => {
          void setState({ q: withField(q, name, text), peek: null })
          onClose()
        }
        return (
          <p key={name}>
            <CopyButton text={text} label={`Copy ${title}`} />
            {Object.hasOwn(queryFields, name) && (
              <button type="button" className="small" onClick={include}>
                Only this {name}
              </button>
            )}
            <bdi className="ellipsis">{visible(text)}</bdi>
          </p>
        )
      })}
    </div>
  )
}
