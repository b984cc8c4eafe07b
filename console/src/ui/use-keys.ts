/** Calls handlers for single keys and for `g` followed by a key, except while the user types, holds
 * Ctrl, Alt or Meta, or has switched the keys off.
 */
import { useEffect } from 'react'
import { areKeysOn } from './preferences.ts'

/** Handlers by key, such as `j` or `g d`. */
type KeyHandlers = Readonly<Record<string, () => void>>

/** Maximum time between the two keys of a sequence. */
const sequenceMs = 1500
const registered = new Set<KeyHandlers>()
let sequenceUntil = 0

function onKey(event: KeyboardEvent): void {
  if (isTaken(event) || !areKeysOn()) return
  const isSecond = Date.now() < sequenceUntil
  sequenceUntil = !isSecond && event.key === 'g' ? Date.now() + sequenceMs : 0
  const name = isSecond ? `g ${event.key}` : event.key
  for (const handlers of [...registered]) {
    if (!Object.hasOwn(handlers, name)) continue
    event.preventDefault()
    handlers[name]?.()
  }
}

export function useKeys(handlers: KeyHandlers): void {
  useEffect(() => {
    // A second registration of the same function changes nothing.
    document.addEventListener('keydown', onKey)
    registered.add(handlers)
    return () => void registered.delete(handlers)
  })
}

/** Checks whether the browser or the focused element needs the key itself. */
function isTaken({ target, key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return true
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('dialog, input, textarea, select, .json-view') !== null) return true
  return key === 'Enter' && target.closest('a, button, summary') !== null
}
