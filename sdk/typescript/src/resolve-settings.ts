/** Settings from options, the environment and the defaults, in that order. */
import { callbackNames, optionTable } from './options.ts'
import type { Options, Row, Settings } from './options.ts'
import type { Platform } from './platform.ts'
import { quietly } from './quietly.ts'
import { tellUnknown } from './tell-unknown.ts'

type Tellers = Pick<Platform, 'warn'>
type Surroundings = Pick<Platform, 'environment'> & Tellers

/** What is not valid is one warning, and the next best value; it is never an exception. */
export function resolveSettings(options: Options, platform: Surroundings): Settings {
  const given = membersOf(options)
  const problems: string[] = []
  const settings: Record<string, unknown> = {}
  for (const [name, row] of Object.entries(optionTable)) {
    settings[name] = resolve(name, row, { given, problems, environment: platform.environment })
  }
  for (const name of callbackNames) {
    const callback = given.get(name)
    if (typeof callback === 'function') settings[name] = callback
    else if (isGiven(callback)) problems.push(`option ${name} is not valid: give a function`)
  }
  if (isGiven(given.get('redact'))) settings['redact'] ??= refuse
  for (const name of given.keys())
    if (!known.includes(name)) problems.push(tellUnknown('option', name, known))
  const resolved = settings as unknown as Settings
  for (const problem of problems) tellConfig(resolved, platform, problem)
  return resolved
}

const known = [...Object.keys(optionTable), ...callbackNames]

/** A redaction that cannot be called must not mean that nothing is redacted. */
function refuse(): never {
  throw new TypeError()
}

/** A getter that throws is as good as none. */
function membersOf(options: object | null | undefined): Map<string, unknown> {
  const entries = quietly(() => Object.entries(options ?? {}))
  return new Map(entries)
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Something is set up wrongly, which concerns no decision more than another. */
export function tellConfig({ onError }: Settings, { warn }: Tellers, problem: string): void {
  warn(`sluice: ${problem}`)
  if (onError === undefined) return
  const error = new Error(problem)
  queueMicrotask(() => quietly(() => onError(error, { stage: 'config', count: 0 })))
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
    problems.push(`option ${name} is not valid: give ${formOf(row)}`)
    return row.default
  }
  const variable = environmentNameOf(name)
  const text = environment[variable]?.trim()
  if (text === undefined || text === '') return row.default
  const value = read(row, parse(row, text))
  if (value === undefined) problems.push(`${variable} is not valid: give ${formOf(row)}`)
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

/** What Number takes besides is as likely a mistake. */
const decimal = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/iu

function parse({ type }: Row, text: string): unknown {
  if (type === 'flag') return flags[text.toLowerCase()]
  if (type !== 'number' && type !== 'integer') return text
  return decimal.test(text) ? Number(text) : undefined
}

/** Undefined when it is not of the row's form. */
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

/** What comes after the path, or a password, has no place in the address of a gateway. */
function isAddress(text: string): boolean {
  // URL itself passes over line breaks, and an empty query, which would end the path.
  const isPlain = /^https?:\/\/[!-~]+$/iu.test(text) && !/[?#\\]|^[^/]*\/\/[^/]*@/u.test(text)
  return isPlain && quietly(() => new URL(text)) !== undefined
}

function formOf(row: Row): string {
  if ('choices' in row) return `one of ${row.choices.join(', ')}`
  if ('min' in row) {
    return `a ${row.type === 'number' ? '' : 'whole '}number from ${row.min} to ${row.max}`
  }
  return forms[row.type]
}

const forms = {
  flag: 'true or false',
  text: 'a text',
  secret: 'a key such as slk_live_…, with nothing around it',
  url: 'an address such as https://sluice.example.com'
}
