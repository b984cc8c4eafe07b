/** Tests, with generated bodies, that storage can store every decision that the gateway accepts. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Decision } from '../../../../core/decision/decision.ts'
import { Problem } from '../../../../core/problem.ts'
import { decisionObjection } from '../../../../core/decision/storable.ts'
import { createDecode } from '../../../../platform/registry/decode.ts'
import { createStoreDecisions } from '../../../../consumers/storage/store-decisions.ts'
import { createEncoder } from '../../../../gateway/ingest/encode.ts'
import { parse } from '../../../../gateway/ingest/parse.ts'
import { createValidate, idOf } from '../../../../gateway/ingest/validate.ts'
import { decisionContract } from '../../../../schemas/index.ts'
import { noon } from '../../../support/builders.ts'
import { cutMember } from '../../../support/exactness/cut-members.ts'
import { ingestBody } from '../../../support/exactness/ingest-bodies.ts'
import { aMessage, FakeRegistry } from '../../consumers/fakes.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { decodeRecord } from '../../platform/kafka/producer/records.ts'
import { principal } from './fakes.ts'

/** The seed is fixed, so that every run generates the same bodies. */
const seed = 20_261_121
const bodies = 2000
const schemaId = 7

const metrics = new RecordingMetrics()
const validate = createValidate({ clock: { now: () => noon }, metrics })
const encoder = createEncoder({ schemaId: () => schemaId, metrics })
const registry = new FakeRegistry()
registry.schemas.set(schemaId, decisionContract.schema)
const decode = createDecode<Decision>({
  registry,
  readerSchema: decisionContract.schema,
  objection: decisionObjection
})

/** Runs the synchronous ingest steps. Returns null if the body is rejected. */
function take(body: string): { decision: Decision; record: Buffer } | null {
  try {
    const submission = parse('application/json', Buffer.from(body))
    const decision = validate(submission, principal, idOf(submission))
    return { decision, record: encoder.encode(decision) }
  } catch (error) {
    expect(error).toBeInstanceOf(Problem)
    expect((error as Problem).status).toBeLessThan(500)
    return null
  }
}

/** Offset of the element in a binary Postgres array of one element. */
const elementAt = 24
const textType = 25
const consumption = { groupId: 'g', topic: 't', partition: 0, nextOffset: 1n, epoch: 1 }

/** A fake database for a single decision. Records the texts that are inserted. */
class FakeStore {
  fingerprint: Buffer | null = null
  readonly texts: string[] = []

  async query<R>(statement: string, values: readonly unknown[] = []): Promise<R[]> {
    if (statement.includes('into consumed_offsets')) return [{ epoch: 1 }] as R[]
    if (statement.includes('into decision_ids')) return this.#claim(values[3] as Buffer) as R[]
    if (statement.includes('from decision_ids')) return [this.#holder(values)] as R[]
    if (statement.includes('into decisions')) this.texts.push(...values.flatMap(textsOf))
    return []
  }

  /** Accepts the first fingerprint only. Returns a row with the number of inserted rows. */
  #claim(fingerprints: Buffer): unknown[] {
    if (this.fingerprint !== null) return [{ inserted: 0 }]
    this.fingerprint = fingerprints.subarray(elementAt)
    return [{ inserted: 1 }]
  }

  #holder([organizations, ids]: readonly unknown[]): unknown {
    const [organization_id, decision_id] = [organizations, ids].map((list) =>
      String(list).slice(1, -1)
    )
    return { organization_id, decision_id, fingerprint: this.fingerprint, is_erased: false }
  }

  async transaction<T>(work: (transaction: FakeStore) => Promise<T>): Promise<T> {
    return await work(this)
  }

  async close(): Promise<void> {}
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (!Buffer.isBuffer(value) || value.readInt32BE(8) !== textType) return []
  return [value.toString('utf8', elementAt)]
}

async function decoded(record: Buffer): Promise<Decision> {
  const outcome = await decode(aMessage({ value: decodeRecord(record).value }))
  if (outcome.kind !== 'decoded') throw new Error(`refused: ${JSON.stringify(outcome)}`)
  return outcome.value
}

/** Replaces `-0` with 0, because neither the column nor an Avro long has -0. */
function plain(decision: Decision): unknown {
  return JSON.parse(JSON.stringify(decision))
}

describe(`of ${bodies} bodies (seed ${seed})`, () => {
  test('every accepted decision is stored, and recognized when it is sent again', async () => {
    let taken = 0
    const property = fc.asyncProperty(ingestBody, async (body) => {
      const accepted = take(body)
      if (accepted === null) return
      taken += 1
      const decision = await decoded(accepted.record)
      expect(plain(decision)).toEqual(plain(accepted.decision))
      const postgres = new FakeStore()
      const store = createStoreDecisions({ postgres })
      expect(await store([decision], consumption)).toEqual([{ kind: 'done' }])
      expect(await store([await decoded(accepted.record)], consumption)).toEqual([
        { kind: 'duplicate' }
      ])
      expect(postgres.texts).toContain(decision.input)
      for (const text of postgres.texts) {
        expect(text.includes('\u0000')).toBe(false)
        expect(text.isWellFormed()).toBe(true)
      }
    })
    await fc.assert(property, { seed, numRuns: bodies })
    process.stdout.write(`${taken} of ${bodies} bodies were accepted\n`)
    expect(taken).toBeGreaterThan(bodies / 3)
  })

  test('accepted members keep their text, as cut by an independent reader', () => {
    const property = fc.property(ingestBody, (body) => {
      const accepted = take(body)
      if (accepted === null) return
      const { input, metadata } = accepted.decision
      expect(input).toBe(cutMember(Buffer.from(body), 'input').toString())
      if (metadata !== null) {
        expect(metadata).toBe(cutMember(Buffer.from(body), 'metadata').toString())
      }
    })
    fc.assert(property, { seed, numRuns: bodies })
  })
})
