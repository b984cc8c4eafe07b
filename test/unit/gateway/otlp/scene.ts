/** A gateway that receives traces, with a producer that keeps what it is given. */
import { expect } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import { createFairShare } from '../../../../http/admission/fair-share.ts'
import type { Call } from '../../../../http/call.ts'
import { loadKernel } from '../../../../gateway/ingest/kernel/kernel.ts'
import type { Quota } from '../../../../gateway/ingest/limit-rate.ts'
import { createOutcomes } from '../../../../gateway/ingest/outcomes.ts'
import type { Encoding } from '../../../../gateway/otlp/decode.ts'
import type { SpanScore } from '../../../../gateway/otlp/log-records.ts'
import type { Signal } from '../../../../gateway/otlp/span.ts'
import { createExport } from '../../../../gateway/otlp/export.ts'
import { createDecoderFactory } from '../../../../platform/avro/avro-codec.ts'
import type { Decision } from '../../../../core/decision/decision.ts'
import { decisionContract } from '../../../../schemas/index.ts'
import { callOf } from '../../api/fakes.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { createNotes, createReaders, principal, quota, recordAt } from '../ingest/fakes.ts'
import { aSpan, contentTypes, exportOf } from '../../../support/otlp-export.ts'
import type { TestSpan } from '../../../support/otlp-export.ts'

const kernel = loadKernel()
export const limited = new Problem('rate_limited', {
  detail: 'No.',
  headers: { 'retry-after': '7' }
})
const kafkaUnavailable = new Problem('log_unavailable', {
  detail: 'No.',
  headers: { 'retry-after': '2' }
})

interface Scene {
  /** Default: traces. */
  readonly signal?: Signal
  readonly granted?: number
  /** Fails the writing of this item. */
  readonly failsAt?: number
}

export function scene({ signal = 'traces', granted, failsAt }: Scene = {}) {
  const metrics = new RecordingMetrics()
  const { notes: usage, noted } = createNotes()
  const produced: { readonly decision: Decision; readonly headers: Record<string, string> }[] = []
  const reported: string[] = []
  const limitRate = (_who: unknown, items: number): Quota => {
    const fits = Math.min(items, granted ?? items)
    return { ...quota, granted: fits, problem: fits < items ? limited : null }
  }
  const scores: SpanScore[] = []
  const takeExport = createExport(signal, {
    authenticate: () => Promise.resolve(principal),
    findSpent: () => null,
    shareLong: createFairShare({ what: 'bodies', atOnceMax: 1, waitingMax: 32 }),
    readBatch: createReaders({ kernel, metrics }).readBatch,
    limitWhole: async (who, items) => {
      const whole = limitRate(who, items)
      if (whole.problem !== null) throw whole.problem
      return whole
    },
    takeAgents: () => Promise.resolve(() => {}),
    pushSpanScores: (_who, some) => {
      scores.push(...some)
      return Promise.resolve([])
    },
    produce: async (batch) => {
      for (const index of batch.problems.keys()) {
        const record = recordAt(batch, index)
        if (index === failsAt) batch.problems[index] = kafkaUnavailable
        if (record === null || batch.problems[index] !== null) continue
        produced.push({ decision: decode(record.value), headers: record.headers })
      }
    },
    outcomes: createOutcomes({ limitRate, metrics, usage }),
    ...{ usage, metrics },
    logger: { error: () => {} } as never,
    reportRejection: ({ code }) => void reported.push(code)
  })
  const sendBytes = async (encoding: Encoding, body: Buffer, headers: Call['headers'] = {}) => {
    const type = { 'content-type': contentTypes[encoding], ...headers }
    const useBody: Call['useBody'] = (_limits, use) => use(body)
    const {
      status,
      headers: sent,
      ...content
    } = await takeExport(callOf({ headers: type, useBody }))
    return { status, headers: sent, bytes: Buffer.from(content.bytes ?? content.body) }
  }
  const send = (encoding: Encoding, spans: readonly TestSpan[], headers: Call['headers'] = {}) =>
    sendBytes(encoding, exportOf(encoding, spans), headers)
  const spansCounted = (): Record<string, number> =>
    Object.fromEntries(
      metrics.counts
        .filter(({ name }) => /^sluice_otlp_(spans|log_records)_total$/.test(name))
        .map(({ labels, value }) => [labels['outcome'] ?? '', value])
    )
  return { send, sendBytes, produced, scores, spansCounted, reported, noted }
}

const decodePayload = createDecoderFactory<Decision>(decisionContract.schema)(
  decisionContract.schema
)
const wireHeaderBytes = 5
const decode = (value: Buffer): Decision => decodePayload(value.subarray(wireHeaderBytes))

export const messages = '[{"role":"user","parts":[{"type":"text","content":"Is 4.10 covered?"}]}]'
export const reply =
  '[{"role":"assistant","parts":[{"type":"text","content":"Yes."}],"finish_reason":"stop"}]'
export const chat = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-5',
  'gen_ai.agent.name': 'claims-agent',
  'gen_ai.conversation.id': 'c-17',
  'gen_ai.usage.input_tokens': 120,
  'gen_ai.usage.output_tokens': 4,
  'gen_ai.input.messages': messages,
  'gen_ai.output.messages': reply
}

/** Sends one span and returns its decision. */
export async function decisionFrom(encoding: Encoding, members: object, more: TestSpan = {}) {
  const { send, produced } = scene()
  const { status } = await send(encoding, [aSpan(members, more)], {
    'sluice-otlp-kinds': 'agent,decision,generation,tool'
  })
  expect(status).toBe(200)
  const [first] = produced
  if (first === undefined) throw new Error('the span became no decision')
  const metadata = JSON.parse(first.decision.metadata ?? '{}') as Record<string, unknown>
  return { ...first, metadata, otel: metadata['otel'] as Record<string, unknown> }
}
