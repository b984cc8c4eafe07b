/** Sends changed exports of OpenTelemetry. Each is accepted, or rejected with a reason. */
import { execFileSync } from 'node:child_process'
import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Encoding } from '../../gateway/otlp/decode.ts'
import type { Signal } from '../../gateway/otlp/span.ts'
import type { Application } from '../support/application.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { endOffsets, waitUntilConsumed } from '../support/kafka.ts'
import {
  aLogRecord,
  aSpan,
  attributesOf,
  bodyOf,
  contentTypes,
  encodings,
  exportOf,
  idOf,
  logsOf
} from '../support/otlp-export.ts'

/** Number of bodies. A weekly job sends 100,000. */
const bodies = Number(process.env['EXPORT_BODIES'] ?? 2000)
const seed = Number(process.env['EXPORT_SEED'] ?? 20_261_128)
const atOnce = 16
const timeoutMs = 60_000 + bodies * 20
/** How much more memory the gateway may have at the end than after the first quarter, in bytes. */
const growthMax = 64 * 1024 * 1024

let sluice: Installation
let tenant: Tenant
let gateway: Application

beforeAll(async () => {
  sluice = await createInstallation()
  tenant = await sluice.createTenant({
    rateLimit: 100_000_000,
    scopes: ['ingest', 'evaluation:write']
  })
  ;[gateway] = await Promise.all([sluice.start('gateway'), sluice.start('storage')])
})

const messages = '[{"role":"user","parts":[{"type":"text","content":"Is \\"4.10\\" due? ü"}]}]'
const chat = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.agent.name': 'claims',
  'gen_ai.input.messages': messages,
  'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'Yes.' }] }],
  'gen_ai.usage.input_tokens': 12n
}
const flattened = {
  'openinference.span.kind': 'LLM',
  'llm.input_messages.0.message.role': 'user',
  'output.value': '{"a":[1,2.50]}',
  'output.mime_type': 'application/json'
}
const choice = { name: 'gen_ai.choice', attributes: attributesOf({ message: 'Yes.' }) }
const evaluation = { 'gen_ai.evaluation.name': 'tone', 'gen_ai.evaluation.score.value': 0.5 }

function originalOf(signal: Signal, encoding: Encoding): Buffer {
  if (signal === 'traces') {
    const spans = [aSpan(chat), aSpan(flattened, { spanId: idOf(2), parentSpanId: idOf(1) })]
    return exportOf(encoding, [...spans, aSpan({}, { spanId: idOf(3), events: [choice] })])
  }
  return logsOf(encoding, [
    aLogRecord('gen_ai.client.inference.operation.details', chat),
    aLogRecord('gen_ai.choice', {}, { ...bodyOf({ message: { content: 'Yes.' } }) }),
    aLogRecord('gen_ai.evaluation.result', evaluation)
  ])
}

/** One change of a body. `at` is a place, as a fraction of its length. */
const change = fc.record({
  kind: fc.constantFrom('set', 'insert', 'delete', 'repeat', 'cut'),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  length: fc.nat(24),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 12 }),
    fc.constantFrom(
      ...['null', '"', '[[[[', '{"', '\u0000', '1e999', '-0', '\\ud800'].map(Buffer.from)
    )
  )
})

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function changed(body: Buffer, { kind, at, length, bytes }: Change): Buffer {
  const start = Math.floor(at * body.length)
  const [before, after] = [body.subarray(0, start), body.subarray(start)]
  const part = after.subarray(0, length)
  if (kind === 'cut') return before
  if (kind === 'insert') return Buffer.concat([before, bytes, after])
  if (kind === 'delete') return Buffer.concat([before, after.subarray(length)])
  if (kind === 'repeat') return Buffer.concat([before, part, part, after])
  return Buffer.concat([before, bytes, after.subarray(bytes.length)])
}

const signals: readonly Signal[] = ['traces', 'logs']
const originals = signals.flatMap((signal) =>
  encodings.map((encoding) => ({ signal, encoding, body: originalOf(signal, encoding) }))
)
const mutated = fc.record({
  original: fc.constantFrom(...originals),
  changes: fc.array(change, { minLength: 1, maxLength: 4 })
})

/** Returns the resident memory of the gateway in bytes. */
function memory(): number {
  return 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(gateway.pid)]))
}

test(
  `${bodies} changed exports get a documented response (seed ${seed})`,
  async () => {
    const counts: Record<string, number> = {}
    let early = 0
    for (let sent = 0; sent < bodies; sent += atOnce) {
      const some = fc.sample(mutated, { seed: seed + sent, numRuns: atOnce })
      const statuses = await Promise.all(
        some.map(async ({ original: { signal, encoding, body }, changes }) => {
          const answer = await fetch(`${gateway.url}/v1/${signal}`, {
            method: 'POST',
            body: new Uint8Array(changes.reduce(changed, body)),
            headers: { 'x-api-key': tenant.api_key, 'content-type': contentTypes[encoding] }
          })
          await answer.arrayBuffer()
          return answer.status
        })
      )
      for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
      if (early === 0 && sent > bodies / 4) early = memory()
    }
    expect(Object.keys(counts)).toEqual(['200', '400'])
    const late = memory()
    process.stdout.write(`${JSON.stringify({ ...counts, early, late })}\n`)
    expect(late - early).toBeLessThan(growthMax)
    await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
    const dead = [...(await endOffsets(sluice.topics.decisionsDeadLetter)).values()]
    expect(dead.every((end) => end === 0n)).toBe(true)
  },
  timeoutMs
)
