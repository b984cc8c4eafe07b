/** length: the output is neither too short nor too long. */
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
      return [{ pointer: '/min', detail: 'or max is required' }]
    }
    if (min === undefined || max === undefined || min <= max) return []
    return [{ pointer: '/max', detail: `must be at least min, which is ${min}` }]
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

/** Nearly every text has as many as it has code units. */
function codePointsIn(text: string): number {
  let count = text.length
  if (!/[\ud800-\udbff]/.test(text)) return count
  for (let at = 0; at < text.length; at++) {
    if (text.codePointAt(at) !== text.charCodeAt(at)) count -= 1
  }
  return count
}

/** What stands between white space; where a script writes without, each character is a word. */
const spaceless = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]/

function wordsIn(text: string): number {
  let count = 0
  let isWithin = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (spaceless.test(character)) {
      count += 1
      isWithin = false
    } else if (isSpace(character)) {
      isWithin = false
    } else if (!isWithin) {
      count += 1
      isWithin = true
    }
  }
  return count
}

function isSpace(character: string): boolean {
  return character <= ' ' || (character >= '\u0080' && /\s/.test(character))
}

function linesIn(text: string): number {
  if (text.length === 0) return 0
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
