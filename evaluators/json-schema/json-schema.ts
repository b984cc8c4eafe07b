/** Kind `json_schema`: checks JSON against a schema. */
import { checkCustomSchema, compileCustomSchema } from '../../platform/validation/custom-schema.ts'
import type { CustomSchema, SchemaFailure } from '../../platform/validation/custom-schema.ts'
import { CpuLimitError } from '../../platform/validation/cpu-limit.ts'
import { EvaluatorFailure, contentTooLarge, verdict } from '../evaluator.ts'
import type { Finding, Skipped } from '../evaluator.ts'
import { booleanOutput } from '../kind.ts'
import type { Kind } from '../kind.ts'
import { targetJsonOf, targetPointer, targetSchema } from '../target.ts'
import { codeBlockOf } from '../text/code-block.ts'
import { jsonTextOf } from '../text/json-text.ts'
import { jsonValueOf } from '../text/json-value.ts'

interface SchemaConfig {
  readonly schema: Readonly<Record<string, unknown>>
  readonly target?: string
  readonly extract?: 'whole' | 'code_fence'
}

export const jsonSchema: Kind<SchemaConfig> = {
  properties: {
    schema: { type: 'object' },
    target: targetSchema,
    extract: { enum: ['whole', 'code_fence'], default: 'whole' }
  },
  required: ['schema'],
  isBounded: false,
  outputOf: () => booleanOutput,
  check({ schema, target = 'output', extract }) {
    const flaws = checkCustomSchema(schema).map(({ pointer, detail }) => {
      return { pointer: `/schema${pointer}`, detail }
    })
    if (extract === undefined || extract === 'whole' || target === 'output') return flaws
    const detail =
      'must be whole unless the target is output; only the output can have a code block'
    return [...flaws, { pointer: '/extract', detail }]
  },
  compile({ schema, target = 'output', extract }) {
    const check = compileCustomSchema(schema)
    return (subject) => {
      const text = targetJsonOf(subject, target)
      if (typeof text !== 'string') return text
      const json = extract === 'code_fence' ? (codeBlockOf(text) ?? text) : text
      return findingOf(json, target, check)
    }
  }
}

function findingOf(json: string, target: string, check: CustomSchema): Finding | Skipped {
  const form = jsonTextOf(json)
  if (form === 'too_long') return contentTooLarge
  if (form === 'invalid') return verdict(false, `The ${target} is not JSON.`)
  const value = jsonValueOf(json)
  if (value === undefined) return contentTooLarge
  const failure = failureOf(check, value)
  if (failure === null) return verdict(true, `The ${target} matches the schema.`)
  return misfit(failure, target)
}

function failureOf(check: CustomSchema, value: unknown): SchemaFailure | null {
  try {
    return check(value)
  } catch (error) {
    if (!(error instanceof CpuLimitError)) throw error
    throw new EvaluatorFailure('code_timeout', error.message, { cause: error })
  }
}

/**
 * Creates the finding for a mismatch. Of the two locations, the reason gives only the one in the
 * schema, because member names in the value may be personal data. The evidence has the location in
 * the value.
 */
function misfit(failure: SchemaFailure, target: string): Finding {
  const { schemaPointer, valuePointer, detail } = failure
  const place = schemaPointer === '' ? 'the schema' : schemaPointer
  const reason = `The ${target} does not match the schema: ${detail} (${place}).`
  const path = targetPointer(target) + valuePointer
  return { ...verdict(false, reason), evidence: [{ path, quote: null, start: null, end: null }] }
}
