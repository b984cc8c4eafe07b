/** Describes the settings that a process would use, with secrets masked. */
import { settings } from './config.ts'
import type { SettingName } from './config.ts'
import { describeCertificates } from './pem-setting.ts'

const mask = '(secret)'

/** Returns a `NAME=value` line for each setting in `config`. */
export function describeConfig(config: object): string[] {
  const entries = Object.entries(config) as [SettingName, unknown][]
  return entries.map(([name, value]) => `${name}=${describe(name, value)}`)
}

function describe(name: SettingName, value: unknown): string {
  if (value === null) return ''
  if (settings[name].isSecret) return mask
  const text = Array.isArray(value) ? value.join() : `${value as string | number | boolean}`
  return text.includes('-----BEGIN ') ? describeCertificates(text) : withoutPassword(text)
}

/** Masks the password in a URL. The other parts help to find mistakes. */
function withoutPassword(text: string): string {
  const url = URL.parse(text)
  if (url === null || url.password === '') return text
  url.password = '***'
  return url.href
}
