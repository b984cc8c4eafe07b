/** Tests reading a body: it encodes each valid decision, rejects each invalid one alone, and yields
 * to the event loop during long bodies.
 */
import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import { createEncoder } from '../../../../gateway/ingest/encode.ts'
import type { Encoder } from '../../../../gateway/ingest/encode.ts'
import type { DecisionBatch } from '../../../../gateway/ingest/decision-batch.ts'
import type { Kernel, Reading } from '../../../../gateway/ingest/kernel/kernel.ts'
import type { IngestRequest } from '../../../../gateway/ingest/attempt.ts'
import { aDecisionBody } from '../../../support/builders.ts'
import { problemOf } from '../../api/fakes.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { createReaders, kernels, noKernel, principal, recordAt, rowOf } from './fakes.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function requestOf(members: Partial<IngestRequest> = {}): IngestRequest {
  return {
    headers: { 'content-type': 'application/json' },
    principal,
    idAt: () => null,
    ...members
  }
}

function bodyOf(value: unknown): Buffer {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
}

/** An encoder that calls `enter` with the output of each decision. */
function encoderOf(enter: (output: string) => void): Encoder {
  const encoder = createEncoder({ schemaId: () => 1, metrics: new RecordingMetrics() })
  const encode: Encoder['encode'] = (decision, ...rest) => {
    enter(decision.output)
    return encoder.encode(decision, ...rest)
  }
  return { ...encoder, encode }
}

const codesOf = ({ problems }: DecisionBatch) => problems.map((problem) => problem?.code ?? null)
const item = { input: 1, output: '' }
const long = 'x'.repeat(300_000)

describe.each(kernels)('with %s', (_name, kernel) => {
  test('reads one decision with its id, key and headers', async () => {
    const { readOne } = createReaders({ kernel })
    const body = aDecisionBody()
    const headers = { 'content-type': 'application/json', traceparent }
    const batch = await readOne(bodyOf(body), requestOf({ headers }))
    expect([batch.count, codesOf(batch), batch.idAt(0)]).toEqual([1, [null], body['decision_id']])
    const record = recordAt(batch, 0)
    expect(record?.key?.toString()).toBe(body['agent_id'])
    expect(record?.headers).toMatchObject({ decision_id: body['decision_id'], traceparent })
  })

  test('rejects one invalid decision, and keeps its size', async () => {
    const { readOne } = createReaders({ kernel })
    const body = bodyOf({ input: 1, agent_id: 'a' })
    const batch = await readOne(body, requestOf())
    expect([codesOf(batch), batch.sizes]).toEqual([['invalid_decision'], [body.length]])
    expect([batch.buffers, batch.agentAt(0)]).toEqual([[null], 'a'])
  })

  test.each([
    ['application/json', '{', 'malformed_json'],
    ['text/plain', '{}', 'unsupported_media_type']
  ])('rejects a body of %s as a whole: %s', async (type, body, code) => {
    const { readOne, readBatch } = createReaders({ kernel })
    const request = requestOf({ headers: { 'content-type': type } })
    expect((await problemOf(readOne(bodyOf(body), request))).code).toBe(code)
    expect((await problemOf(readBatch(bodyOf(body), request))).code).toBe(code)
  })

  test('rejects an item alone and continues with the others', async () => {
    const { readBatch } = createReaders({ kernel })
    const decisions = [item, { input: 2 }, 7, { ...item, agent_id: 'a' }]
    const batch = await readBatch(bodyOf({ decisions }), requestOf())
    expect(codesOf(batch)).toEqual([null, 'invalid_decision', 'invalid_decision', null])
    expect(batch.buffers.map((buffer) => buffer === null)).toEqual([false, true, true, false])
    expect([0, 3].map((index) => batch.agentAt(index))).toEqual(['', 'a'])
    expect(batch.sizes.slice(1, 3)).toEqual([11, 1])
  })

  test('rejects a line that is not JSON alone', async () => {
    const { readBatch } = createReaders({ kernel })
    const body = [JSON.stringify(item), 'x', '', JSON.stringify(item)].join('\n')
    const request = requestOf({ headers: { 'content-type': 'application/x-ndjson' } })
    expect(codesOf(await readBatch(bodyOf(body), request))).toEqual([null, 'malformed_json', null])
  })

  test('uses the id of an item, else the one of the request, else a new one', async () => {
    const { readBatch } = createReaders({ kernel })
    const { decision_id } = aDecisionBody()
    const given = (index: number) => `01938c4e-5b7a-7c3e-9f00-00000000000${index}`
    const idAt = (index: number) => (index === 3 ? null : given(index))
    const decisions = [item, { ...item, decision_id }, { input: 1 }, item, 7]
    const batch = await readBatch(bodyOf({ decisions }), requestOf({ idAt }))
    const ids = decisions.map((_, index) => batch.idAt(index))
    expect(ids).toEqual([given(0), decision_id, given(2), expect.stringMatching(isId), given(4)])
    for (const index of [0, 1, 3]) {
      expect(recordAt(batch, index)?.headers['decision_id']).toBe(ids[index])
    }
  })

  test('has the client report, which may be without decisions', async () => {
    const { readBatch } = createReaders({ kernel })
    const client_report = { dropped: { queue_full: 1 } }
    const read = async (body: object) => await readBatch(bodyOf(body), requestOf())
    expect((await read({ decisions: [item], client_report })).client_report).toEqual(client_report)
    expect(await read({ client_report })).toMatchObject({ count: 0, client_report })
    expect((await read({ decisions: [item] })).client_report).toBeUndefined()
  })

  test('rejects every decision until the schema is loaded', async () => {
    const encoder = createEncoder({ schemaId: () => null, metrics: new RecordingMetrics() })
    const { readBatch } = createReaders({ kernel, encoder })
    const batch = await readBatch(bodyOf({ decisions: [item, { input: 1 }] }), requestOf())
    expect(codesOf(batch)).toEqual(['schema_unavailable', 'invalid_decision'])
    expect(batch.idAt(0)).toMatch(isId)
  })
})

test('writes the same records with the kernel as with the parser', async () => {
  const bodies = Array.from({ length: 50 }, (_, index) =>
    aDecisionBody({
      agent_id: index % 3 === 0 ? null : `agent-${index}`,
      output: 'é'.repeat(index)
    })
  )
  const [parsed, read] = await Promise.all(
    kernels.map(async ([, kernel]) => {
      const { readBatch } = createReaders({ kernel })
      return await readBatch(bodyOf({ decisions: bodies }), requestOf())
    })
  )
  const recordsOf = (batch: DecisionBatch) => bodies.map((_, index) => recordAt(batch, index))
  expect(recordsOf(read as DecisionBatch)).toEqual(recordsOf(parsed as DecisionBatch))
  expect(new Set(read?.buffers).size).toBe(1)
})

describe('an error while an item is encoded', () => {
  const failAt = (output: string, error: Error) =>
    encoderOf((one) => {
      if (one === output) throw error
    })

  test('rejects that item alone if it is a problem, and keeps its id', async () => {
    const tooLarge = new Problem('payload_too_large', { detail: 'No.' })
    const { readBatch } = createReaders({ encoder: failAt('b', tooLarge) })
    const decisions = ['a', 'b', 'c'].map((output) => ({ input: 1, output }))
    const batch = await readBatch(bodyOf({ decisions }), requestOf())
    expect(batch.problems).toEqual([null, tooLarge, null])
    expect(batch.idAt(1)).toMatch(isId)
  })

  test.each([
    ['a short batch', ''],
    ['a long batch', long]
  ])('fails the whole of %s if it is not a problem', async (_what, input) => {
    const bug = new TypeError('a bug')
    const { readOne, readBatch } = createReaders({ encoder: failAt('b', bug) })
    const decisions = ['a', 'b', 'c'].map((output) => ({ input, output }))
    await expect(readBatch(bodyOf({ decisions }), requestOf())).rejects.toBe(bug)
    await expect(readOne(bodyOf({ input, output: 'b' }), requestOf())).rejects.toBe(bug)
  })
})

/** Milliseconds of work per item, longer than the time between two yields. */
const workMs = 2

/** Reads items that take `workMs` each. Returns the event-loop iteration of each item. */
async function turnsOf(decisions: readonly object[], kernel: Kernel): Promise<number[]> {
  const turns: number[] = []
  let turn = 0
  let isDone = false
  const countTurn = () => {
    turn += 1
    if (!isDone) setImmediate(countTurn)
  }
  const encoder = encoderOf(() => {
    turns.push(turn)
    for (const endsAt = performance.now() + workMs; performance.now() < endsAt;);
  })
  const { readBatch } = createReaders({ kernel, encoder })
  setImmediate(countTurn)
  const batch = await readBatch(bodyOf({ decisions }), requestOf())
  isDone = true
  expect(codesOf(batch)).toEqual(decisions.map(() => null))
  return turns
}

/** A kernel that leaves each item to the parser. */
const unsureKernel: Kernel = (body) => {
  const starts = [...body.toString('latin1').matchAll(/\{"input"/g)].map(({ index }) => index)
  const slab = Buffer.alloc(0)
  const rows = starts.map((start) => {
    const end = body.indexOf('}', start) + 1
    return rowOf(slab, { start, end, recordStart: -1 })
  })
  return {
    count: rows.length,
    valueBytes: 0,
    copyRecords: () => slab,
    placesOf: (at) => rows[at],
    envelope: () => ({ arrayStart: 0, arrayEnd: body.length, memberCount: 1 })
  } as Reading
}

describe.each([
  ['if the parser reads the body', noKernel],
  ['if the parser reads each item', unsureKernel]
])('%s', (_what, kernel) => {
  test('yields between the items of a long batch', async () => {
    const decisions = Array.from({ length: 20 }, () => ({ input: 'x'.repeat(20_000), output: '' }))
    const turns = await turnsOf(decisions, kernel)
    expect(new Set(turns).size).toBeGreaterThan(10)
  })

  test('does not yield during a short batch', async () => {
    const turns = await turnsOf(
      Array.from({ length: 20 }, () => ({ input: 1, output: '' })),
      kernel
    )
    expect(new Set(turns).size).toBe(1)
  })
})
