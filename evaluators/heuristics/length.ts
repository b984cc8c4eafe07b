/** Check `length`: counts characters, words or lines and compares the count with the limits. */
import { verdict } from '../evaluator.ts'
import type { Finding } from '../evaluator.ts'
import { countOutput } from '../kind.ts'
import type { Kind } from '../kind.ts'

const units = ['characters', 'words', 'lines'] as const
type Unit = (typeof units)[number]

interface LengthConfig {
  readonly min?: number
  readonly max?: number
  readonly unit?: Unit
}

const bound = { type: 'integer', minimum: 0, maximum: 10_000_000 } as const

export const length: Kind<LengthConfig> = {
  properties: { min: bound, max: bound, unit: { enum: units, default: 'characters' } },
  isBounded: true,
  outputOf: () => countOutput,
  check: ({ min, max }) => {
    if (min === undefined && max === undefined) {
      return [{ pointer: '/min', detail: 'is required unless max is set' }]
    }
    if (min === undefined || max === undefined || min <= max) return []
    return [{ pointer: '/max', detail: `must be at least min (${min})` }]
  },
  compile: ({ min = 0, max = Number.POSITIVE_INFINITY, unit = 'characters' }) => {
    return ({ output }) => findingOf(countOf[unit](output), { min, max, unit })
  }
}

function findingOf(value: number, { min, max, unit }: Required<LengthConfig>): Finding {
  const passed = value >= min && value <= max
  const limit = value < min ? `, fewer than ${min}` : `, more than ${max}`
  const noun = value === 1 ? unit.slice(0, -1) : unit
  const { reason } = verdict(passed, `The output has ${value} ${noun}${passed ? '' : limit}.`)
  return { kind: 'finding', data_type: 'numeric', value, label: null, passed, reason }
}

const countOf: Readonly<Record<Unit, (text: string) => number>> = {
  characters: codePointsIn,
  words: wordsIn,
  lines: linesIn
}

/** Counts code points. For most texts this equals the number of UTF-16 code units. */
function codePointsIn(text: string): number {
  let count = text.length
  if (!/[\ud800-\udbff]/.test(text)) return count
  for (let at = 0; at < text.length; at++) {
    if (text.codePointAt(at) !== text.charCodeAt(at)) count -= 1
  }
  return count
}

/** Character kinds: separator (1), part of a word (0), and a word on its own (2). */
const space = 1
const ownWord = 2
const kinds = new Uint8Array(0x10000)
for (let code = 0; code <= 0x20; code++) kinds[code] = space
for (let code = 0x80; code <= 0xffff; code++) {
  if (/\s/.test(String.fromCharCode(code))) kinds[code] = space
}
/**
 * Thai, Lao, Japanese and Chinese are written without spaces, so each character counts as a word.
 */
for (const [from, to] of [
  [0x0e00, 0x0eff],
  [0x3040, 0x30ff],
  [0x3400, 0x9fff]
] as const) {
  kinds.fill(ownWord, from, to + 1)
}

function wordsIn(text: string): number {
  let count = 0
  let last = space
  for (let at = 0; at < text.length; at++) {
    const kind = kinds[text.charCodeAt(at)] ?? 0
    if (kind === ownWord || (kind === 0 && last !== 0)) count += 1
    last = kind
  }
  return count
}

function linesIn(text: string): number {
  if (text.length === 0) return 0
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
