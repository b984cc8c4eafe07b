/** A score that somebody pushes: its form, and what it means under its evaluator's definition. */
import { uuidPattern } from '../../../core/ids/ids.ts'
import type { ScoreDataType } from '../../../core/evaluation/evaluation.ts'
import type { ScoreDefinition } from '../../../core/evaluation/evaluator-definition.ts'
import type { Violation } from '../../../core/problem.ts'
import { EvaluatorFailure } from '../../../evaluators/evaluator.ts'
import type { Finding } from '../../../evaluators/evaluator.ts'
import { holdToOutput, valueMax } from '../../../evaluators/hold-to-output.ts'
import { createCheck } from '../../../platform/validation/json-schema.ts'
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import { nameCharsMax } from './score-filters.ts'

export interface PushedScore {
  readonly id?: string | null
  readonly decision_id: string
  readonly evaluator_id?: string | null
  readonly name?: string | null
  readonly data_type?: ScoreDataType | null
  readonly value?: number | boolean | null
  readonly label?: string | null
  readonly passed?: boolean | null
  readonly reason?: string | null
  readonly confidence?: number | null
  readonly evidence?: Finding['evidence'] | null
  readonly source?: 'end_user' | null
  readonly source_id?: string | null
}

/** A finding, and the definition of the score that it is. */
export interface Meaning {
  readonly finding: Finding
  readonly output: ScoreDefinition
}

/** Neither the store nor the topic takes these: the first not at all, the others not unchanged. */
const text = { type: ['string', 'null'], pattern: '^[^\\u0000\\ud800-\\udfff]*$' } as const
const uuidOrNull = { type: ['string', 'null'], pattern: uuidPattern } as const

export const pushedScoreSchema: JsonSchema = {
  type: 'object',
  required: ['decision_id'],
  properties: {
    id: { ...uuidOrNull, description: 'Of yours: sent again, it is counted once.' },
    decision_id: { type: 'string', pattern: uuidPattern },
    evaluator_id: { ...text, maxLength: 100, description: 'Of an evaluator of the kind external.' },
    name: {
      ...text,
      minLength: 1,
      maxLength: nameCharsMax,
      description: 'Required where no evaluator says it.'
    },
    data_type: { enum: ['numeric', 'boolean', 'categorical', 'text', null] },
    value: { type: ['number', 'boolean', 'null'], minimum: -valueMax, maximum: valueMax },
    label: { ...text, maxLength: 4000, description: 'Of a categorical score, or the text itself.' },
    passed: { type: ['boolean', 'null'], description: 'Where no evaluator says it.' },
    reason: { ...text, maxLength: 4000 },
    confidence: { type: ['number', 'null'], minimum: 0, maximum: 1 },
    evidence: {
      type: ['array', 'null'],
      maxItems: 20,
      items: {
        type: 'object',
        required: ['path', 'quote', 'start', 'end'],
        properties: {
          path: { type: 'string', maxLength: 200 },
          quote: { type: ['string', 'null'], maxLength: 1000 },
          start: { type: ['integer', 'null'], minimum: 0 },
          end: { type: ['integer', 'null'], minimum: 0 }
        },
        additionalProperties: false
      }
    },
    source: { enum: ['end_user', null], description: 'Said when an end user gave it.' },
    source_id: { ...text, maxLength: 255, description: 'Of the end user, as you know him.' }
  },
  additionalProperties: false
}

const checkForm = createCheck(pushedScoreSchema)

export function checkPushedScore(item: unknown): readonly Violation[] {
  return checkForm(item)
}

/** @param output of the evaluator that was named; null for a score of any other name. */
export function meaningOf(
  item: PushedScore,
  output: ScoreDefinition | null
): Meaning | readonly Violation[] {
  const definition = output ?? freeDefinitionOf(item)
  const wrong = contradictionsOf(item, definition)
  if (wrong.length > 0) return wrong
  const finding = findingOf(item, definition)
  if (output === null) return { finding, output: definition }
  try {
    return { finding: holdToOutput(finding, output), output }
  } catch (error) {
    if (!(error instanceof EvaluatorFailure)) throw error
    const pointer = error.status_reason === 'unknown_label' ? '/label' : '/value'
    return [{ pointer, detail: `${error.status_reason}: ${error.message}` }]
  }
}

export function isMeaning(meaning: Meaning | readonly Violation[]): meaning is Meaning {
  return 'finding' in meaning
}

/** Any name, any scale: nothing is known of what would be better. */
function freeDefinitionOf({ name, data_type, value, label }: PushedScore): ScoreDefinition {
  const guessed = typeof value === 'number' ? 'numeric' : label ? 'categorical' : 'boolean'
  return {
    ...{ name: name ?? '', data_type: data_type ?? guessed },
    ...{ min: null, max: null, pass: null, threshold: null, direction: 'none' },
    labels: null
  }
}

function contradictionsOf(item: PushedScore, output: ScoreDefinition): readonly Violation[] {
  return [...otherwiseNamed(item, output), ...otherwiseValued(item, output)]
}

function otherwiseNamed({ name, data_type }: PushedScore, output: ScoreDefinition): Violation[] {
  const wrong: Violation[] = []
  if (output.name === '') wrong.push({ pointer: '/name', detail: 'is required' })
  if (name && name !== output.name) {
    wrong.push({ pointer: '/name', detail: `must be ${output.name}, as its evaluator says` })
  }
  if (data_type && data_type !== output.data_type) {
    wrong.push({ pointer: '/data_type', detail: `must be ${output.data_type}` })
  }
  return wrong
}

function otherwiseValued(item: PushedScore, output: ScoreDefinition): Violation[] {
  const { label } = item
  const value = valueOf(item)
  const wrong: Violation[] = []
  if (saysNothing(item)) {
    return [{ pointer: '/value', detail: 'is required where neither label nor passed is given' }]
  }
  const needsLabel = output.data_type === 'categorical' || output.data_type === 'text'
  if (needsLabel && !label) wrong.push({ pointer: '/label', detail: 'is required' })
  if (output.data_type === 'numeric' && typeof value !== 'number') {
    wrong.push({ pointer: '/value', detail: 'must be a number' })
  }
  if (output.data_type === 'boolean' && typeof value !== 'boolean') {
    wrong.push({ pointer: '/value', detail: 'must be true or false' })
  }
  return wrong
}

function saysNothing({ data_type, evaluator_id, value, label, passed }: PushedScore): boolean {
  const said = [data_type, evaluator_id, value, label, passed]
  return said.every((member) => member === null || member === undefined)
}

/** Whoever says only whether it passed, and names no evaluator, gives a boolean score. */
function valueOf(item: PushedScore): number | boolean | null {
  const { evaluator_id, data_type, value, label, passed } = item
  const isAlone = !evaluator_id && !label && (data_type ?? 'boolean') === 'boolean'
  return value ?? (isAlone ? passed : null) ?? null
}

/** Of a boolean score, where one is better than the other. */
function impliedPass(value: unknown, { direction }: ScoreDefinition): boolean | null {
  if (typeof value !== 'boolean' || direction === 'none') return null
  return value === (direction === 'higher')
}

function findingOf(item: PushedScore, output: ScoreDefinition): Finding {
  const { label = null, passed, reason, confidence, evidence } = item
  const value = valueOf(item)
  return {
    kind: 'finding',
    data_type: output.data_type,
    value: value === null ? null : Number(value),
    label,
    passed: passed ?? impliedPass(value, output),
    reason: reason ?? '',
    ...(evidence && { evidence }),
    ...(typeof confidence === 'number' && { confidence })
  }
}
