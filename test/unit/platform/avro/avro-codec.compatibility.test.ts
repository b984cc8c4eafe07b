/** Tests that versions of each schema can read each other's minimal and maximal records. */
import { describe, expect, test } from '@jest/globals'
import { createDecoderFactory, createEncode } from '../../../../platform/avro/avro-codec.ts'
import type { AvroSchema } from '../../../../platform/avro/avro-codec.ts'
import { bareRun, bareScore } from '../../../../core/evaluation/evaluation.ts'
import { readWireFormat } from '../../../../core/wire-format.ts'
import { decisionContract, evaluationContract } from '../../../../schemas/index.ts'
import { goldenDecision, goldenEvaluation } from './golden/samples.ts'

interface Field {
  readonly name: string
  readonly type: unknown
  readonly default?: unknown
}

interface RecordSchema {
  readonly type: 'record'
  readonly name: string
  readonly fields: readonly Field[]
}

type Change = (fields: readonly Field[]) => readonly Field[]

function isRecord(schema: unknown): schema is RecordSchema {
  return typeof schema === 'object' && schema !== null && 'fields' in schema
}

function isArray(schema: unknown): schema is { readonly items: unknown } {
  return typeof schema === 'object' && schema !== null && 'items' in schema
}

/** Returns the schema with changed fields in all records, including those in arrays. */
function changed(schema: unknown, change: Change): unknown {
  if (isArray(schema)) return { ...schema, items: changed(schema.items, change) }
  if (!isRecord(schema)) return schema
  const fields = change(schema.fields).map((field) => ({
    ...field,
    type: changed(field.type, change)
  }))
  return { ...schema, fields }
}

function fieldsOf(schema: unknown): Field[] {
  if (isArray(schema)) return fieldsOf(schema.items)
  if (!isRecord(schema)) return []
  return schema.fields.flatMap((field) => [field, ...fieldsOf(field.type)])
}

const onlyRequired: Change = (fields) => fields.filter((field) => field.default === undefined)
const withOneMore: Change = (fields) => [
  { name: 'a_later_field', type: ['null', 'string'], default: null },
  ...fields
]

/** Encodes the value with one schema and decodes it with another. */
function passed(value: unknown, writer: AvroSchema, reader: AvroSchema): unknown {
  const bytes = createEncode(writer)(value, 1)
  return createDecoderFactory(reader)(writer)(readWireFormat(bytes).payload)
}

const requiredDecision = {
  decision_id: goldenDecision.decision_id,
  organization_id: goldenDecision.organization_id,
  received_at: goldenDecision.received_at,
  input: goldenDecision.input,
  output: goldenDecision.output
}

const requiredScore = { score_id: 's-1', name: 'not_empty', data_type: 'boolean' }
const requiredPackedRun = {
  kind: {
    rule_id: 'default',
    rule: 'default',
    evaluator_id: 'not_empty',
    evaluator: 'not_empty',
    evaluator_kind: 'heuristic',
    evaluator_version: 1
  },
  status: 'skipped'
}
const noScoreKind = {
  ...{ config_hash: null, name: null, data_type: null, threshold: null },
  ...{ range_min: null, range_max: null, direction: null, reason_template: null }
}
const noScore = {
  ...{ status_reason: null, duration_us: null, value: null, label: null, passed: null },
  ...{ reason: null, reason_numbers: null, confidence: null, evidence: null, error: null }
}
const requiredLaterRun = {
  run_id: 'r-1',
  rule: 'default',
  evaluator: 'not_empty',
  evaluator_kind: 'heuristic',
  evaluator_version: 1,
  status: 'succeeded',
  scores: [requiredScore]
}
const requiredEvaluation = {
  decision_id: goldenEvaluation.decision_id,
  organization_id: goldenEvaluation.organization_id,
  received_at: goldenEvaluation.received_at,
  evaluated_at: goldenEvaluation.evaluated_at,
  runs: [requiredPackedRun],
  later_runs: [requiredLaterRun]
}

const contracts = [
  {
    file: 'decision.v1.avsc',
    schema: decisionContract.schema,
    full: goldenDecision,
    required: requiredDecision,
    completed: {
      ...requiredDecision,
      agent_id: null,
      session_id: null,
      domain: null,
      metadata: null,
      input_tokens: null,
      output_tokens: null,
      sdk_version: null
    }
  },
  {
    file: 'evaluation.v1.avsc',
    schema: evaluationContract.schema,
    full: goldenEvaluation,
    required: requiredEvaluation,
    completed: {
      ...requiredEvaluation,
      agent_id: null,
      session_id: null,
      domain: null,
      plan: null,
      runs: [
        {
          ...requiredPackedRun,
          ...noScore,
          kind: { ...requiredPackedRun.kind, ...noScoreKind }
        }
      ],
      later_runs: [
        {
          ...requiredLaterRun,
          generation: 0,
          status_reason: null,
          attempts: 1,
          duration_us: null,
          ...bareRun,
          scores: [
            { ...requiredScore, value: null, label: null, passed: null, reason: null, ...bareScore }
          ]
        }
      ]
    }
  }
]

describe.each(contracts)('$file', ({ schema, full, required, completed }) => {
  test('reads a record with the required fields only', () => {
    const writer = changed(schema, onlyRequired) as AvroSchema
    expect(passed(required, writer, schema)).toEqual(completed)
  })

  test('uses defaults for fields that another writer omits', () => {
    expect(passed(required, schema, schema)).toEqual(completed)
  })

  test('reads a record of a later writer with one more field', () => {
    expect(passed(full, changed(schema, withOneMore) as AvroSchema, schema)).toEqual(full)
  })

  test('is read by a later reader with one more field', () => {
    const reader = changed(schema, withOneMore) as AvroSchema
    expect(passed(full, schema, reader)).toMatchObject({ ...full, a_later_field: null })
  })

  test('has no enums, and optional fields are null or have a default', () => {
    for (const { name, type, default: fallback } of fieldsOf(schema)) {
      expect([name, JSON.stringify(type)]).not.toEqual([name, expect.stringContaining('"enum"')])
      const isNullable = Array.isArray(type)
      if (isNullable)
        expect([name, type[0], type.length, fallback]).toEqual([name, 'null', 2, null])
    }
  })

  test('has no version in its name', () => {
    expect(schema.name).toMatch(/^[A-Z][a-z]+$/)
  })
})
