/** Formats a record as one line of JSON. Numbers and strings in `input` and `metadata` stay
 * exactly as they were sent.
 */
import { isUtf8 } from 'node:buffer'
import type { Decision } from '../../core/decision/decision.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { oneLine } from '../../core/json/one-line.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import { isoTime } from '../iso-time.ts'
import type { DecodedRecord } from './decode-record.ts'
import type { DeadLetterOrigin } from '../../platform/kafka/dead-letter-origin.ts'

/** Name of a JSON field, and its value as JSON text. */
type Member = readonly [name: string, json: string]

interface LineOptions {
  /** Whether to include input, output and metadata, or the runs of an evaluation. */
  readonly payload: boolean
}

export function recordLine(described: DecodedRecord, options: LineOptions): string {
  const { message, deadLetter } = described
  return objectOf([
    ...positionMembers(message),
    ...(deadLetter === null ? [] : [['dead_letter', formatOriginJson(deadLetter)] as const]),
    ...contentOf(described, options)
  ])
}

function objectOf(members: readonly Member[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}

function positionMembers({ partition, offset, timestamp, key }: Message): Member[] {
  return [
    ['partition', String(partition)],
    ['offset', String(offset)],
    ['written_at', isoJson(timestamp)],
    key === null || isUtf8(key)
      ? ['key', JSON.stringify(key?.toString('utf8') ?? null)]
      : ['key_base64', JSON.stringify(key.toString('base64'))]
  ]
}

function formatOriginJson({ reason, step, error, group, origin }: DeadLetterOrigin): string {
  const { topic, partition, offset } = origin
  const from = { topic, partition, offset: Number(offset) }
  return JSON.stringify({ reason, step, error, group, ...from })
}

function contentOf(described: DecodedRecord, options: LineOptions): Member[] {
  switch (described.kind) {
    case 'decision':
      return decisionOf(described.decision, options)
    case 'evaluation':
      return evaluationOf(described.evaluation, options)
    case 'undecodable': {
      const { reason, error, message } = described
      return [
        ['error', JSON.stringify(`${reason}: ${error}`)],
        ['value_bytes', String(message.value?.length ?? null)]
      ]
    }
  }
}

function decisionOf(decision: Decision, { payload }: LineOptions): Member[] {
  const { received_at, input, output, metadata, ...rest } = decision
  const payloadMembers: Member[] = [
    ['input', oneLine(input)],
    ['output', JSON.stringify(output)],
    ['metadata', metadata === null ? 'null' : oneLine(metadata)]
  ]
  const others = Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)] as const)
  return [['received_at', isoJson(received_at)], ...others, ...(payload ? payloadMembers : [])]
}

function evaluationOf(evaluation: Evaluation, { payload }: LineOptions): Member[] {
  const { received_at, evaluated_at, runs, later_runs, ...rest } = evaluation
  const payloadMembers: Member[] = [
    ['runs', JSON.stringify(runs)],
    ['later_runs', JSON.stringify(later_runs)]
  ]
  const others = Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)] as const)
  return [
    ['received_at', isoJson(received_at)],
    ['evaluated_at', isoJson(evaluated_at)],
    ...others,
    ...(payload ? payloadMembers : [])
  ]
}

function isoJson(ms: number): string {
  return JSON.stringify(isoTime(ms))
}
