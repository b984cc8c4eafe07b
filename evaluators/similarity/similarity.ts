/** Kind `similarity`: compares the output with a reference in the metadata. */
import { contentTooLarge, notApplicable, verdict } from '../evaluator.ts'
import type { Evaluate, Finding, Skipped } from '../evaluator.ts'
import { booleanOutput, shareOutput } from '../kind.ts'
import type { Kind } from '../kind.ts'
import { metadataTextOf } from '../target.ts'
import { jsonTextOf } from '../text/json-text.ts'
import { jsonValueOf } from '../text/json-value.ts'
import { plainTextOf } from '../text/member-text.ts'
import { compareJson } from './json-diff.ts'
import { levenshteinSimilarity } from './levenshtein.ts'
import { isNumberNear, onlyNumberIn } from './numbers.ts'

export const referencePattern = '^metadata[.].+$'

const methods = ['exact', 'numeric', 'levenshtein', 'json_diff'] as const
type Method = (typeof methods)[number]

interface SimilarityConfig {
  readonly method: Method
  readonly reference?: string
  readonly case_sensitive?: boolean
  readonly tolerance?: number
  readonly threshold?: number
}

const defaultThresholds = { levenshtein: 0.8, json_diff: 1 } as const

/** Methods that support each setting. */
const uses: Readonly<Record<'case_sensitive' | 'tolerance' | 'threshold', readonly Method[]>> = {
  case_sensitive: ['exact', 'levenshtein'],
  tolerance: ['numeric'],
  threshold: ['levenshtein', 'json_diff']
}

export const similarity: Kind<SimilarityConfig> = {
  properties: {
    method: { enum: methods },
    reference: {
      type: 'string',
      pattern: referencePattern,
      maxLength: 200,
      default: 'metadata.expected'
    },
    case_sensitive: { type: 'boolean', default: true },
    tolerance: { type: 'number', minimum: 0, default: 0 },
    threshold: { type: 'number', minimum: 0, maximum: 1 }
  },
  required: ['method'],
  isBounded: true,
  outputOf: ({ method, threshold }) => {
    if (method === 'exact' || method === 'numeric') return booleanOutput
    return { ...shareOutput, threshold: threshold ?? defaultThresholds[method] }
  },
  check(config) {
    return Object.entries(uses).flatMap(([name, users]) => {
      if (!(name in config) || users.includes(config.method)) return []
      return [
        { pointer: `/${name}`, detail: `is only supported for the methods ${users.join(', ')}` }
      ]
    })
  },
  compile(config) {
    const reference = config.reference ?? 'metadata.expected'
    const compare = comparisons[config.method](config)
    return (subject) => {
      const json = metadataTextOf(subject, reference)
      return json === null ? notApplicable : compare(subject.output, json)
    }
  }
}

/** Compares the trimmed output with the JSON text of the reference. */
type Compare = (output: string, reference: string) => ReturnType<Evaluate>

const comparisons: Readonly<Record<Method, (config: SimilarityConfig) => Compare>> = {
  exact: ({ case_sensitive: isSensitive = true }) => {
    const form = isSensitive ? trimmed : lowered
    return (output, reference) => {
      const isSame = form(output) === form(plainTextOf(reference))
      return verdict(isSame, `The output ${isSame ? 'equals' : 'does not equal'} the reference.`)
    }
  },
  numeric:
    ({ tolerance = 0 }) =>
    (output, reference) =>
      compareNumbers(output, reference, tolerance),
  levenshtein: ({ case_sensitive: isSensitive = true }) => {
    const form = isSensitive ? trimmed : lowered
    return (output, reference) => {
      const likeness = levenshteinSimilarity(form(output), form(plainTextOf(reference)))
      if (likeness === null) return contentTooLarge
      return similarityFinding(
        likeness,
        `The output is ${percent(likeness)} similar to the reference.`
      )
    }
  },
  json_diff: () => compareJsonTexts
}

function trimmed(text: string): string {
  return text.trim()
}

function lowered(text: string): string {
  return text.trim().toLowerCase()
}

/**
 * Creates a finding. The value is rounded down, so that only a complete match has the value 1. The
 * threshold is applied later.
 */
function similarityFinding(part: number, reason: string): Finding {
  const value = Math.floor(part * 1000) / 1000
  return { kind: 'finding', data_type: 'numeric', value, label: null, passed: null, reason }
}

function percent(part: number): string {
  return `${Math.floor(part * 100)} %`
}

function compareNumbers(output: string, reference: string, tolerance: number): Finding | Skipped {
  const expected = onlyNumberIn(plainTextOf(reference))
  if (expected === null) return notApplicable
  const found = onlyNumberIn(output)
  if (found === null) return verdict(false, 'The output does not contain exactly one number.')
  const isNear = isNumberNear(found, expected, tolerance)
  const within = tolerance === 0 ? '' : ` within ${tolerance}`
  return verdict(
    isNear,
    `The number ${isNear ? 'equals' : 'does not equal'} the reference${within}.`
  )
}

/** Compares JSON values. If the reference is a string that contains JSON, that JSON is compared. */
function compareJsonTexts(output: string, reference: string): Finding | Skipped {
  const form = jsonTextOf(output)
  if (form === 'too_long') return contentTooLarge
  if (form === 'invalid') return similarityFinding(0, 'The output is not JSON.')
  const text = plainTextOf(reference)
  const expected = jsonValueOf(jsonTextOf(text) === 'valid' ? text : reference, { isExact: true })
  const value = jsonValueOf(output, { isExact: true })
  if (expected === undefined || value === undefined) return contentTooLarge
  const likeness = compareJson(expected, value)
  if (likeness === null) return contentTooLarge
  const { share: part, firstDifference } = likeness
  const finding = similarityFinding(part, `${percent(part)} of the values equal the reference.`)
  if (firstDifference === null) return finding
  const path = `/output${firstDifference}`
  return { ...finding, evidence: [{ path, quote: null, start: null, end: null }] }
}
