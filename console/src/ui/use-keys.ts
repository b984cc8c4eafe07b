/** Calls handlers for single keys, except while the user types or holds a modifier. */
import { useEffect } from 'react'

type KeyHandlers = Readonly<Record<string, () => void>>

export function useKeys(handlers: KeyHandlers): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const handler = Object.hasOwn(handlers, event.key) ? handlers[event.key] : undefined
      if (handler === undefined || event.ctrlKey || event.metaKey || event.altKey) return
      if (isTaken(event)) return
      event.preventDefault()
      handler()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
}

/** Checks whether the focused element needs the key itself. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('dialog, input, textarea, select, .json-view') !== null) return true
  return key === 'Enter' && target.closest('a, button') !== null
}
