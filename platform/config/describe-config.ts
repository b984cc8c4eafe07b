/** The settings a process would run with, for people: secrets are named, never shown. */
import { settings } from './config.ts'
import type { SettingName } from './config.ts'
import { describeCertificates } from './pem-setting.ts'

const mask = '(secret)'

/** One line for each setting that the process reads. */
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

/** Everything in a URL but the password helps to find a mistake. */
function withoutPassword(text: string): string {
  const url = URL.parse(text)
  if (url === null || url.password === '') return text
  url.password = '***'
  return url.href
}
