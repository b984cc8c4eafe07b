/** Tests bisecting: exactly the records that Postgres rejects are dead-lettered. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import pg from 'pg'
import { done, duplicate, FencedError, TransientError } from '../../../../core/message-outcome.ts'
import { bisecting } from '../../../../consumers/storage/bisect.ts'
import type { StoreBatch } from '../../../../consumers/storage/bisect.ts'
import { aMessage, FakeBatch } from '../fakes.ts'

function sqlError(code: string): Error {
  return Object.assign(new pg.DatabaseError('the row is (secret)', 0, 'error'), { code })
}

/** Stores a batch completely or not at all. A value that is stored again is a duplicate. */
class FakeStore {
  readonly stored = new Set<number>()
  readonly batches: number[] = []
  /** The `consumption` argument of the last batch that was stored. */
  recorded: unknown = null
  readonly refused: ReadonlySet<number>
  readonly errorOf: (value: number) => Error

  constructor(refused: Iterable<number>, errorOf = (_value: number) => sqlError('22P05')) {
    this.refused = new Set(refused)
    this.errorOf = errorOf
  }

  store: StoreBatch<number> = async (values, consumption) => {
    this.batches.push(values.length)
    const culprit = values.find((value) => this.refused.has(value))
    if (culprit !== undefined) throw this.errorOf(culprit)
    this.recorded = consumption
    return values.map((value) => {
      const isNew = !this.stored.has(value)
      this.stored.add(value)
      return isNew ? done : duplicate
    })
  }
}

const eight = [0, 1, 2, 3, 4, 5, 6, 7]

/** A batch with the offsets 40 to 49, including messages that could not be decoded. */
const batch = new FakeBatch(
  Array.from({ length: 10 }, (_, at) => aMessage({ offset: BigInt(40 + at) }))
)

const ending = {
  ...{ groupId: 'the-group', topic: batch.topic, partition: batch.partition },
  ...{ epoch: 7, nextOffset: 50n }
}

function handlerOf(store: StoreBatch<number>) {
  const handle = bisecting(store, 'the-group')
  return (values: readonly number[]) => handle(values, batch)
}

test('stores an accepted batch in one transaction', async () => {
  const store = new FakeStore([])
  expect(await handlerOf(store.store)(eight)).toEqual(eight.map(() => done))
  expect(store.batches).toEqual([8])
  expect(store.recorded).toEqual(ending)
})

test('records the offset when no message could be decoded', async () => {
  const store = new FakeStore([])
  expect(await handlerOf(store.store)([])).toEqual([])
  expect(store.batches).toEqual([0])
  expect(store.recorded).toEqual(ending)
})

test('stores nothing when the member was evicted before it took its epoch', async () => {
  const store = new FakeStore([])
  const evicted = new FakeBatch(batch.messages)
  evicted.heartbeatFailure = new Error('evicted')
  await expect(bisecting(store.store, 'the-group')(eight, evicted)).rejects.toThrow('evicted')
  expect(store.batches).toEqual([])
})

test('finds one bad record in logarithmic time, and stores the others', async () => {
  const store = new FakeStore([5])
  const outcomes = await handlerOf(store.store)(eight)
  expect(outcomes.map(({ kind }) => kind)).toEqual(
    eight.map((value) => (value === 5 ? 'dead_letter' : 'done'))
  )
  expect(store.batches).toEqual([8, 4, 4, 2, 1, 1, 2, 0])
  expect(store.recorded).toEqual(ending)
})

test('reports the SQLSTATE without the row', async () => {
  const [outcome] = await handlerOf(new FakeStore([1]).store)([1])
  expect(outcome).toEqual({
    kind: 'dead_letter',
    step: 'store',
    reason: 'refused_by_store',
    error: 'SQLSTATE 22P05'
  })
})

test('throws a bug instead of dead-lettering a record', async () => {
  const store = new FakeStore([1], () => new TypeError('no such member'))
  await expect(handlerOf(store.store)([0, 1, 2])).rejects.toThrow(TypeError)
})

test('dead-letters exactly the rejected records of any batch', async () => {
  const batches = fc
    .uniqueArray(fc.nat(999), { maxLength: 60 })
    .chain((values) => fc.tuple(fc.constant(values), fc.subarray(values)))
  await fc.assert(
    fc.asyncProperty(batches, async ([values, refused]) => {
      const store = new FakeStore(refused)
      const outcomes = await handlerOf(store.store)(values)
      expect(outcomes.map(({ kind }) => kind)).toEqual(
        values.map((value) => (store.refused.has(value) ? 'dead_letter' : 'done'))
      )
      expect(store.stored).toEqual(new Set(values.filter((value) => !store.refused.has(value))))
      expect(store.recorded).toEqual(ending)
      // At most two transactions per value, and one for the end of the batch.
      expect(store.batches.length).toBeLessThanOrEqual(2 * values.length + 1)
    })
  )
})

describe('dead-letters nothing while Postgres is unavailable', () => {
  test.each([
    ['no connection', sqlError('08006')],
    ['a deadlock', sqlError('40P01')],
    ['a full disk', sqlError('53100')],
    ['a shutdown', sqlError('57P01')],
    ['a missing table', sqlError('42P01')],
    ['a missing partition', sqlError('23514')],
    ['a socket', new Error('ECONNREFUSED')]
  ])('%s', async (_what, error) => {
    const store = new FakeStore([3], () => error)
    const failed = handlerOf(store.store)(eight)
    await expect(failed).rejects.toBeInstanceOf(TransientError)
    await expect(failed).rejects.toMatchObject({ cause: error })
    // The error names its cause, but does not include the server's message, which can quote a
    // value.
    const reason = 'code' in error ? `SQLSTATE ${String(error.code)}` : error.message
    await expect(failed).rejects.toThrow(`Postgres cannot store the batch: ${reason}`)
    expect(store.batches).toEqual([8])
  })

  test('when it fails in the middle, and stores the rest on redelivery', async () => {
    let isAway = true
    const refusing = (value: number): Error =>
      value === 1 || !isAway ? sqlError('22P05') : new Error('ECONNRESET')
    const store = new FakeStore([1, 6], refusing)
    const handle = handlerOf(store.store)
    await expect(handle(eight)).rejects.toBeInstanceOf(TransientError)
    expect(store.recorded).toEqual({ ...ending, nextOffset: 40n })
    isAway = false
    expect((await handle(eight)).map(({ kind }) => kind)).toEqual([
      ...['duplicate', 'dead_letter', 'duplicate', 'duplicate'],
      ...['done', 'done', 'dead_letter', 'done']
    ])
  })
})

test('throws without a retry when the member lost the partition', async () => {
  const store = new FakeStore([3], () => new FencedError('a later member'))
  await expect(handlerOf(store.store)(eight)).rejects.toBeInstanceOf(FencedError)
  expect(store.batches).toEqual([8])
})

test('stores nothing without an epoch', async () => {
  const store = new FakeStore([])
  batch.epochFailure = new Error('ECONNREFUSED')
  await expect(handlerOf(store.store)(eight)).rejects.toBeInstanceOf(TransientError)
  batch.epochFailure = null
  expect(store.batches).toEqual([])
})

test('throws when Postgres rejects even the offset', async () => {
  const refuse = (): Promise<never> => Promise.reject(sqlError('22P05'))
  await expect(handlerOf(refuse)([])).rejects.toMatchObject({ code: '22P05' })
})
