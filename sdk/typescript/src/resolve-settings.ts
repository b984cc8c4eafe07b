/** Resolves settings from options, the environment and the defaults, in that order. */
import { callbackNames, optionTable } from './options.ts'
import type { Options, Row, Settings } from './options.ts'
import type { Platform } from './platform.ts'
import { suppressErrors } from './suppress-errors.ts'
import { describeUnknown } from './describe-unknown.ts'

type SettingsPlatform = Pick<Platform, 'environment' | 'warn'>

/** Never throws. An invalid value is reported once and replaced with the default. */
export function resolveSettings(options: Options, platform: SettingsPlatform): Settings {
  const given = membersOf(options)
  const problems: string[] = []
  const settings: Record<string, unknown> = {}
  for (const [name, row] of Object.entries(optionTable)) {
    settings[name] = resolve(name, row, { given, problems, environment: platform.environment })
  }
  for (const name of callbackNames) {
    const callback = given.get(name)
    if (typeof callback === 'function') settings[name] = callback
    else if (isGiven(callback)) problems.push(`${name} must be a function`)
  }
  if (isGiven(given.get('redact'))) settings['redact'] ??= refuse
  for (const name of given.keys())
    if (!known.includes(name)) problems.push(describeUnknown('option', name, known))
  const resolved = settings as unknown as Settings
  for (const problem of problems) reportConfigProblem(resolved, platform, problem)
  return resolved
}

const known = [...Object.keys(optionTable), ...callbackNames]

/** Stands in for a `redact` that is not a function, so that no decision is sent unredacted. */
function refuse(): never {
  throw new TypeError()
}

/** Returns the options; an empty map if any getter throws. */
function membersOf(options: object | null | undefined): Map<string, unknown> {
  const entries = suppressErrors(() => Object.entries(options ?? {}))
  return new Map(entries)
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Reports a configuration problem with count 0, because it affects no particular decision. */
export function reportConfigProblem(
  { onError }: Settings,
  { warn }: Pick<Platform, 'warn'>,
  problem: string
): void {
  warn(`sluice: ${problem}`)
  if (onError === undefined) return
  const error = new Error(problem)
  queueMicrotask(() => suppressErrors(() => onError(error, { stage: 'config', count: 0 })))
}

interface Sources {
  readonly given: ReadonlyMap<string, unknown>
  readonly problems: string[]
  readonly environment: Platform['environment']
}

function resolve(name: string, row: Row, { given, problems, environment }: Sources): unknown {
  const option = given.get(name)
  if (isGiven(option)) {
    const value = read(row, typeof option === 'string' ? parse(row, option) : option)
    if (value !== undefined) return value
    problems.push(describeInvalid(name, row))
    return row.default
  }
  const variable = environmentNameOf(name)
  const text = environment[variable]?.trim()
  if (text === undefined || text === '') return row.default
  const value = read(row, parse(row, text))
  if (value === undefined) problems.push(describeInvalid(variable, row))
  return value ?? row.default
}

export function environmentNameOf(name: string): string {
  return `SLUICE_${name.replace(/[A-Z]/gu, '_$&').toUpperCase()}`
}

const flags: Readonly<Record<string, boolean>> = {
  true: true,
  1: true,
  false: false,
  0: false
}

/** Number() also accepts forms such as 0x10, which are probably mistakes. */
const decimal = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/iu

function parse({ type }: Row, text: string): unknown {
  if (type === 'flag') return flags[text.toLowerCase()]
  if (type !== 'number' && type !== 'integer') return text
  return decimal.test(text) ? Number(text) : undefined
}

/** Returns undefined if the option does not accept the value. */
function read(row: Row, value: unknown): unknown {
  return isOf(row, value) ? value : undefined
}

function isOf(row: Row, value: unknown): boolean {
  if ('min' in row) return isNumberOf(row, value)
  if ('choices' in row) return row.choices.some((choice) => choice === value)
  if (row.type === 'flag') return typeof value === 'boolean'
  return typeof value === 'string' && isTextOf[row.type](value)
}

const isTextOf = {
  text: (text: string) => text !== '',
  secret: (text: string) => /^[!-~]+$/u.test(text),
  url: isAddress
}

function isNumberOf(row: Extract<Row, { min: number }>, value: unknown): value is number {
  if (typeof value !== 'number' || !(value >= row.min && value <= row.max)) return false
  return row.type === 'number' || Number.isInteger(value)
}

/** Checks for an http or https URL without credentials, query or fragment. */
function isAddress(text: string): boolean {
  // URL() accepts line breaks. It also accepts an empty query, which would swallow the path
  // appended later.
  const isPlain = /^https?:\/\/[!-~]+$/iu.test(text) && !/[?#\\]|^[^/]*\/\/[^/]*@/u.test(text)
  return isPlain && suppressErrors(() => new URL(text)) !== undefined
}

function describeInvalid(name: string, row: Row): string {
  return `${name} must be ${formOf(row)}; using ${row.default ?? 'none'}`
}

function formOf(row: Row): string {
  if ('choices' in row) return `one of ${row.choices.join(', ')}`
  if ('min' in row) {
    return `${row.type === 'number' ? 'a number' : 'an integer'} from ${row.min} to ${row.max}`
  }
  return forms[row.type]
}

const forms = {
  flag: 'true or false',
  text: 'a non-empty text',
  secret: 'an API key such as slk_live_…, unquoted',
  url: 'a URL such as https://sluice.example.com'
}
