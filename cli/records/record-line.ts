/** A record as one line of JSON: `input` and `metadata` are spliced in, so that they stay exact. */
import { isUtf8 } from 'node:buffer'
import type { Decision } from '../../core/decision/decision.ts'
import type { Evaluation } from '../../core/evaluation/evaluation.ts'
import { oneLine } from '../../core/json/one-line.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import { isoTime } from '../iso-time.ts'
import type { Described } from './describe.ts'
import type { Letter } from './letter.ts'

/** A name, and the JSON text of its value. */
type Member = readonly [name: string, json: string]

export interface LineOptions {
  /** False leaves out input, output and metadata, and the runs of an evaluation. */
  readonly payload: boolean
}

export function recordLine(described: Described, options: LineOptions): string {
  const { message, letter } = described
  return objectOf([
    ...placeOf(message),
    ...(letter === null ? [] : [['dead_letter', letterJson(letter)] as const]),
    ...contentOf(described, options)
  ])
}

function objectOf(members: readonly Member[]): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
}

function placeOf({ partition, offset, timestamp, key }: Message): Member[] {
  return [
    ['partition', String(partition)],
    ['offset', String(offset)],
    ['written_at', isoJson(timestamp)],
    key === null || isUtf8(key)
      ? ['key', JSON.stringify(key?.toString('utf8') ?? null)]
      : ['key_base64', JSON.stringify(key.toString('base64'))]
  ]
}

function letterJson({ reason, step, error, group, origin }: Letter): string {
  const { topic, partition, offset } = origin
  const from = { topic, partition, offset: Number(offset) }
  return JSON.stringify({ reason, step, error, group, ...from })
}

function contentOf(described: Described, options: LineOptions): Member[] {
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
  const said: Member[] = [
    ['input', oneLine(input)],
    ['output', JSON.stringify(output)],
    ['metadata', metadata === null ? 'null' : oneLine(metadata)]
  ]
  const others = Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)] as const)
  return [['received_at', isoJson(received_at)], ...others, ...(payload ? said : [])]
}

function evaluationOf(evaluation: Evaluation, { payload }: LineOptions): Member[] {
  const { received_at, evaluated_at, runs, later_runs, ...rest } = evaluation
  const said: Member[] = [
    ['runs', JSON.stringify(runs)],
    ['later_runs', JSON.stringify(later_runs)]
  ]
  const others = Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)] as const)
  return [
    ['received_at', isoJson(received_at)],
    ['evaluated_at', isoJson(evaluated_at)],
    ...others,
    ...(payload ? said : [])
  ]
}

function isoJson(ms: number): string {
  return JSON.stringify(isoTime(ms))
}
