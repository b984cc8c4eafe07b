/** The menu of a cell or of a row: filter by its value, or copy it. */
import { useCallback, useEffect, useRef, useState } from 'react'
import type { MouseEvent } from 'react'
import type { DecisionSummary } from '../../api/wire.ts'
import { withField } from '../../query/query-text.ts'
import { visible } from '../../text/visible.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { columns } from './columns.tsx'
import { useListState } from './use-list-state.ts'

interface MenuState {
  readonly decision: DecisionSummary
  /** The columns that the menu is about. */
  readonly names: readonly string[]
  readonly left: number
  readonly top: number
}

/** Returns the menu, and functions that open it at the pointer or at the active row. */
export function useCellMenu(shown: readonly string[]) {
  const [menu, setMenu] = useState<MenuState | null>(null)
  const openAtCell = useCallback((event: MouseEvent<HTMLElement>, decision: DecisionSummary) => {
    const cell = event.target instanceof Element ? event.target.closest('[data-column]') : null
    const name = cell instanceof HTMLElement ? cell.dataset['column'] : undefined
    if (name === undefined) return
    event.preventDefault()
    setMenu({ decision, names: [name], left: event.clientX, top: event.clientY })
  }, [])
  const openAtRow = (decision: DecisionSummary | undefined): void => {
    const row = document.querySelector('[role=row][aria-selected=true]')?.getBoundingClientRect()
    if (decision === undefined || row === undefined) return
    setMenu({ decision, names: shown, left: row.left + 20, top: row.bottom })
  }
  const onClose = useCallback(() => setMenu(null), [])
  return { menu: menu && <CellMenu {...menu} onClose={onClose} />, openAtCell, openAtRow }
}

interface CellMenuProps extends MenuState {
  readonly onClose: () => void
}

function CellMenu({ decision, names, left, top, onClose }: CellMenuProps) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    element.current?.showPopover()
    element.current?.querySelector('button')?.focus()
  }, [decision, names])
  return (
    <div
      ref={element}
      popover="auto"
      className="menu at-point"
      role="group"
      aria-label="Values of the decision"
      style={{ left, top }}
      onToggle={(event) => event.newState === 'closed' && onClose()}
    >
      {names.map((name) => (
        <CellActions key={name} {...{ name, decision, onClose }} />
      ))}
    </div>
  )
}

interface CellActionsProps extends Pick<CellMenuProps, 'decision' | 'onClose'> {
  readonly name: string
}

function CellActions({ name, decision, onClose }: CellActionsProps) {
  const [{ q }, setState] = useListState()
  const { title, field, isPreview = false, textOf } = columns[name] ?? {}
  const text = textOf?.(decision) ?? null
  if (text === null || isPreview) return null
  const shown = visible(text).slice(0, 60)
  const include = (): void => {
    void setState({ q: withField(q, field ?? '', text), peek: null })
    onClose()
  }
  return (
    <>
      {field !== undefined && (
        <button type="button" className="small" onClick={include}>
          Only {field}: {shown}
        </button>
      )}
      <CopyButton text={text} label={`Copy ${title}: ${shown}`} />
    </>
  )
}
