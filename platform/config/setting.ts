/** One setting of the environment: what it means, its default and how its text is read. */
import { isIP, isIPv4 } from 'node:net'

export interface Setting<Value> {
  readonly description: string
  /** Undefined: it has to be set. Null: it is nothing unless it is set. */
  readonly default: Value | undefined
  /** Secrets are never printed, not even in an error. */
  readonly isSecret: boolean
  /** @throws when the text does not fit; the message continues the setting's name. */
  parse(text: string): Value
}

/** What was found apart from what was expected: a file's content is never repeated. */
export class UnfitError extends Error {
  override readonly name = 'UnfitError'
  readonly expected: string

  constructor(found: string, expected: string) {
    super(`${found}, ${expected}`)
    this.expected = expected
  }
}

const portMax = 65_535

/** The same setting, which is nothing unless it is set. */
export function optional<Value>(setting: Setting<Value>): Setting<Value | null> {
  return { ...setting, default: null }
}

export function text(description: string, fallback: string): Setting<string> {
  return { description, default: fallback, isSecret: false, parse: (value) => value }
}

export function list(description: string): Setting<readonly string[]> {
  const parse = (value: string) => parseItems(value, isHostAndPort, 'host:port')
  return { description, default: undefined, isSecret: false, parse }
}

/** Exact origins as a browser sends them; a wildcard is none. */
export function origins(description: string): Setting<readonly string[]> {
  const isOrigin = (item: string) => URL.parse(item)?.origin === item
  return items(description, isOrigin, 'an origin such as https://example.com')
}

/** IP addresses and networks in CIDR notation. A network of all addresses is refused. */
export function networks(description: string): Setting<readonly string[]> {
  return items(description, isNetwork, 'an IP address or a network such as 10.0.0.0/8')
}

/** None unless it is set. @param expected names one item that fits */
function items(
  description: string,
  isFit: (item: string) => boolean,
  expected: string
): Setting<readonly string[]> {
  const none: readonly string[] = Object.freeze([])
  const parse = (value: string) => (value === '' ? none : parseItems(value, isFit, expected))
  return { description, default: none, isSecret: false, parse }
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const bitsMax = isIPv4(address) ? 32 : 128
  // A zone (`%eth0`) names an interface of one machine, which no other machine shares.
  if (!isIP(address) || address.includes('%') || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= bitsMax)
}

export function url(description: string, protocols: readonly string[]): Setting<string> {
  const parse = (value: string): string => parseUrl(value, protocols)
  return { description, default: undefined, isSecret: false, parse }
}

/** A mail server, or a folder on this machine in which each letter becomes a file. */
export function mailUrl(description: string): Setting<string> {
  const parse = (value: string): string => {
    const isFolder = URL.parse(value)?.protocol === 'file:' && value.startsWith('file:///')
    return isFolder ? value : parseUrl(value, ['smtp:', 'smtps:', 'file:'])
  }
  return { description, default: undefined, isSecret: false, parse }
}

export function secret(description: string, charactersMin: number): Setting<string> {
  const parse = (value: string): string => {
    if (value.length >= charactersMin) return value
    throw new Error(`has ${value.length} characters, at least ${charactersMin} are needed`)
  }
  return { description, default: undefined, isSecret: true, parse }
}

export function integer(
  description: string,
  fallback: number,
  range: readonly [number, number]
): Setting<number> {
  const parse = (value: string): number => parseInteger(value, range, '')
  return { description, default: fallback, isSecret: false, parse }
}

/** A number, or "auto" for the one that fits this machine, asked only then. */
export function integerOrAuto(
  description: string,
  fallback: number,
  { range, auto }: { range: readonly [number, number]; auto: () => number }
): Setting<number> {
  const parse = (value: string): number => {
    if (value !== 'auto') return parseInteger(value, range, 'auto or ')
    return Math.min(range[1], Math.max(range[0], auto()))
  }
  return { description, default: fallback, isSecret: false, parse }
}

export function flag(description: string, fallback: boolean): Setting<boolean> {
  const parse = (value: string): boolean => {
    if (value === 'true' || value === 'false') return value === 'true'
    throw new UnfitError(`is ${JSON.stringify(value)}`, 'expected true or false')
  }
  return { description, default: fallback, isSecret: false, parse }
}

export function oneOf<const Value extends string>(
  description: string,
  fallback: Value,
  values: readonly Value[]
): Setting<Value> {
  const parse = (value: string): Value => {
    const known = values.find((candidate) => candidate === value)
    if (known !== undefined) return known
    throw new UnfitError(`is ${JSON.stringify(value)}`, `expected one of ${values.join(', ')}`)
  }
  return { description, default: fallback, isSecret: false, parse }
}

function parseInteger(value: string, [min, max]: readonly [number, number], or: string): number {
  const number = Number(value)
  if (/^\d+$/.test(value) && number >= min && number <= max) return number
  const expected = `expected ${or}a whole number from ${min} to ${max}`
  throw new UnfitError(`is ${JSON.stringify(value)}`, expected)
}

function parseItems(
  value: string,
  isFit: (item: string) => boolean,
  expected: string
): readonly string[] {
  const items = value.split(',').map((item) => item.trim())
  const wrong = items.find((item) => !isFit(item))
  if (wrong === undefined) return Object.freeze(items)
  throw new UnfitError(`holds ${JSON.stringify(wrong)}`, `expected ${expected}`)
}

/** An IPv6 address stands in brackets. */
function isHostAndPort(text: string): boolean {
  const port = /^(?:[^\s:]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/.exec(text)?.[1]
  return port !== undefined && Number(port) >= 1 && Number(port) <= portMax
}

/** A URL may carry a password, so the text itself is not repeated in the error. */
function parseUrl(value: string, protocols: readonly string[]): string {
  const parsed = URL.parse(value)
  const isTrimmed = value === value.trim()
  const isUsable = parsed !== null && parsed.host !== '' && protocols.includes(parsed.protocol)
  if (isUsable && isTrimmed) return value
  const beginnings = protocols.map((protocol) => `${protocol}//`)
  throw new Error(`is no URL that begins with ${beginnings.join(' or ')} and names a host`)
}
