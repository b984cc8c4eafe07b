/** Setting: defines one environment variable with its description, default and parser. */
import { isIP, isIPv4 } from 'node:net'

export interface Setting<Value> {
  readonly description: string
  /** Undefined if the setting is required. Null if it is optional and has no default. */
  readonly default: Value | undefined
  /** If true, the value is never printed, not even in error messages. */
  readonly isSecret: boolean
  /**
   * @throws if the text is invalid; the message is a predicate that follows the setting name, for
   * example "must begin with https://"
   */
  parse(text: string): Value
}

/**
 * Reports an invalid value. Keeps the expected format separate, because errors about a file must
 * not quote its content.
 */
export class InvalidSettingError extends Error {
  override readonly name = 'InvalidSettingError'
  readonly expected: string

  constructor(found: string, expected: string) {
    super(`${found}, ${expected}`)
    this.expected = expected
  }
}

const portMax = 65_535

/** Returns a copy of the setting that is optional and defaults to null. */
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

/** Defines a list of origins in the exact form that browsers send. Rejects wildcards. */
export function origins(description: string): Setting<readonly string[]> {
  const isOrigin = (item: string) => URL.parse(item)?.origin === item
  return items(description, isOrigin, 'an origin such as https://example.com')
}

/**
 * Defines a list of IP addresses and CIDR networks. Rejects a prefix length of 0, which would match
 * all addresses.
 */
export function networks(description: string): Setting<readonly string[]> {
  return items(description, isNetwork, 'an IP address or a network such as 10.0.0.0/8')
}

/**
 * Defines a list that is empty by default.
 * @param expected describes one valid item
 */
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
  // Rejects a zone (`%eth0`), because it names an interface of one machine.
  if (!isIP(address) || address.includes('%') || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= bitsMax)
}

export function url(description: string, protocols: readonly string[]): Setting<string> {
  const parse = (value: string): string => parseUrl(value, protocols)
  return { description, default: undefined, isSecret: false, parse }
}

/** Defines the URL of a mail server, or of a local folder that receives each email as a file. */
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
    throw new Error(`has ${value.length} characters; at least ${charactersMin} are required`)
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

/**
 * Defines an integer. The value `auto` is replaced at parse time by the result of `auto()`, clamped
 * to `range`.
 */
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
    throw new InvalidSettingError(`is ${JSON.stringify(value)}`, 'expected true or false')
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
    throw new InvalidSettingError(
      `is ${JSON.stringify(value)}`,
      `expected one of ${values.join(', ')}`
    )
  }
  return { description, default: fallback, isSecret: false, parse }
}

function parseInteger(value: string, [min, max]: readonly [number, number], or: string): number {
  const number = Number(value)
  if (/^\d+$/.test(value) && number >= min && number <= max) return number
  const expected = `expected ${or}a whole number from ${min} to ${max}`
  throw new InvalidSettingError(`is ${JSON.stringify(value)}`, expected)
}

function parseItems(
  value: string,
  isFit: (item: string) => boolean,
  expected: string
): readonly string[] {
  const items = value.split(',').map((item) => item.trim())
  const wrong = items.find((item) => !isFit(item))
  if (wrong === undefined) return Object.freeze(items)
  throw new InvalidSettingError(`contains ${JSON.stringify(wrong)}`, `expected ${expected}`)
}

/** Checks for `host:port`. An IPv6 address requires brackets. */
function isHostAndPort(text: string): boolean {
  const port = /^(?:[^\s:]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/.exec(text)?.[1]
  return port !== undefined && Number(port) >= 1 && Number(port) <= portMax
}

/** Validates a URL. Errors omit the value, because it may contain a password. */
function parseUrl(value: string, protocols: readonly string[]): string {
  const parsed = URL.parse(value)
  const isTrimmed = value === value.trim()
  const isUsable = parsed !== null && parsed.host !== '' && protocols.includes(parsed.protocol)
  if (isUsable && isTrimmed) return value
  const beginnings = protocols.map((protocol) => `${protocol}//`)
  throw new Error(`must be a URL that begins with ${beginnings.join(' or ')} and names a host`)
}
