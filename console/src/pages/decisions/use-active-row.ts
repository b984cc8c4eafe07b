/** The active row of the list, and the keys that move and open it. */
import { useCallback, useState } from 'react'
import { useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { useKeys } from '../../ui/use-keys.ts'
import type { DecisionSummary } from '../../api/wire.ts'
import { useListState } from './use-list-state.ts'

export function useActiveRow(rows: readonly Pick<DecisionSummary, 'decision_id'>[]) {
  const [{ peek }, setState] = useListState()
  const [, navigate] = useLocation()
  const search = useSearch()
  const [activeId, setActiveId] = useState(peek)
  const wanted = peek ?? activeId
  const active = rows.findIndex(({ decision_id }) => decision_id === wanted)

  const showPeek = useCallback(
    (index: number, history: 'push' | 'replace' = 'push') => {
      const id = rows[index]?.decision_id ?? null
      setActiveId(id)
      void setState({ peek: id }, { history })
    },
    [rows, setState]
  )
  const move = (step: number): void => {
    const index = Math.min(rows.length - 1, Math.max(0, active + step))
    // While a decision is shown, moving replaces the history entry, so that Back closes the panel.
    if (peek !== null) showPeek(index, 'replace')
    else setActiveId(rows[index]?.decision_id ?? null)
  }
  const open = (): void => {
    const id = rows[active]?.decision_id
    if (id !== undefined) navigate(`/decisions/${id}${search}`)
  }
  const close = useCallback(() => {
    void setState({ peek: null })
    // Returns the focus to the list, because it may have been in the panel that disappears.
    document.querySelector<HTMLElement>('[role=grid]')?.focus()
  }, [setState])
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Home: () => move(-rows.length),
    End: () => move(rows.length),
    Enter: open,
    o: () => (peek === null && active >= 0 ? showPeek(active) : close()),
    Escape: () => peek !== null && close()
  })
  return { active, peek, showPeek, close }
}
