/** Preferences of the browser: theme, time zone and keys. */
import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()

export const themes = ['system', 'light', 'dark'] as const
export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Returns a preference and a function that changes it. */
function usePreference(name: string, byDefault: string) {
  const key = `sluice.${name}`
  const value = useSyncExternalStore(subscribe, () => localStorage.getItem(key) ?? byDefault)
  const set = (next: string): void => {
    localStorage.setItem(key, next)
    for (const listener of listeners) listener()
  }
  return [value, set] as const
}

export function useZone() {
  return usePreference('zone', browserZone)
}

export function useTheme() {
  return usePreference('theme', 'system')
}

/** Whether single-key shortcuts are enabled: `on` or `off`. */
export function useKeysPreference() {
  return usePreference('keys', 'on')
}

export function areKeysOn(): boolean {
  return localStorage.getItem('sluice.keys') !== 'off'
}

/** Applies the theme to the page; `tokens.css` has the colors of each. */
export function applyTheme(theme = localStorage.getItem('sluice.theme') ?? 'system'): void {
  document.documentElement.dataset['theme'] = theme
}
