/** Settings from options, the environment and the defaults, in that order. */
import { optionTable } from './options.ts'
import type { Options, Settings } from './options.ts'
import type { Platform } from './platform.ts'

export function resolveSettings(options: Options, platform: Platform): Settings {
  const settings: Record<string, unknown> = {}
  for (const [name, row] of Object.entries(optionTable)) {
    const variable = `SLUICE_${name.replace(/[A-Z]/gu, '_$&').toUpperCase()}`
    settings[name] = options[name as keyof Options] ?? platform.environment[variable] ?? row.default
  }
  return { ...settings, ...options } as unknown as Settings
}
