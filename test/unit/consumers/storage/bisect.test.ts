/** Bisecting: exactly the records that the store refuses are condemned. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import pg from 'pg'
import { done, duplicate, FencedError, TransientError } from '../../../../core/consumed.ts'
import { bisecting } from '../../../../consumers/storage/bisect.ts'
import type { Store } from '../../../../consumers/storage/bisect.ts'
import { aMessage, FakeBatch } from '../fakes.ts'

function sqlError(code: string): Error {
  return Object.assign(new pg.DatabaseError('the row is (secret)', 0, 'error'), { code })
}

/** Stores a batch whole or not at all; a second time each is a duplicate. */
class FakeStore {
  readonly stored = new Set<number>()
  readonly batches: number[] = []
  /** What was committed last. */
  recorded: unknown = null
  readonly refused: ReadonlySet<number>
  readonly errorOf: (value: number) => Error

  constructor(refused: Iterable<number>, errorOf = (_value: number) => sqlError('22P05')) {
    this.refused = new Set(refused)
    this.errorOf = errorOf
  }

  store: Store<number> = async (values, consumption) => {
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

/** Offsets 40 to 49, whatever could be decoded of them. */
const batch = new FakeBatch(
  Array.from({ length: 10 }, (_, at) => aMessage({ offset: BigInt(40 + at) }))
)

const ending = {
  ...{ groupId: 'the-group', topic: batch.topic, partition: batch.partition },
  ...{ epoch: 7, nextOffset: 50n }
}

function handlerOf(store: Store<number>) {
  const handle = bisecting(store, 'the-group')
  return (values: readonly number[]) => handle(values, batch)
}

test('a batch that the store takes is stored in one go', async () => {
  const store = new FakeStore([])
  expect(await handlerOf(store.store)(eight)).toEqual(eight.map(() => done))
  expect(store.batches).toEqual([8])
  expect(store.recorded).toEqual(ending)
})

test('the offset is recorded where nothing could be decoded', async () => {
  const store = new FakeStore([])
  expect(await handlerOf(store.store)([])).toEqual([])
  expect(store.batches).toEqual([0])
  expect(store.recorded).toEqual(ending)
})

test('a member that was evicted before its number was taken stores nothing', async () => {
  const store = new FakeStore([])
  const evicted = new FakeBatch(batch.messages)
  evicted.heartbeatFailure = new Error('evicted')
  await expect(bisecting(store.store, 'the-group')(eight, evicted)).rejects.toThrow('evicted')
  expect(store.batches).toEqual([])
})

test('one at fault is found in a logarithm of attempts, and the others are stored', async () => {
  const store = new FakeStore([5])
  const outcomes = await handlerOf(store.store)(eight)
  expect(outcomes.map(({ kind }) => kind)).toEqual(
    eight.map((value) => (value === 5 ? 'dead_letter' : 'done'))
  )
  expect(store.batches).toEqual([8, 4, 4, 2, 1, 1, 2, 0])
  expect(store.recorded).toEqual(ending)
})

test('the letter tells the SQLSTATE and not the row', async () => {
  const [outcome] = await handlerOf(new FakeStore([1]).store)([1])
  expect(outcome).toEqual({
    kind: 'dead_letter',
    step: 'store',
    reason: 'refused_by_store',
    error: 'SQLSTATE 22P05'
  })
})

test('a bug of ours condemns no record: it is thrown, and ends the process', async () => {
  const store = new FakeStore([1], () => new TypeError('no such member'))
  await expect(handlerOf(store.store)([0, 1, 2])).rejects.toThrow(TypeError)
})

test('exactly the refused are condemned, whatever batch they stand in', async () => {
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
      // Each of the two at most once for each value, and the end.
      expect(store.batches.length).toBeLessThanOrEqual(2 * values.length + 1)
    })
  )
})

describe('while the store is away nothing is condemned', () => {
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
    // An operator learns what it is; a server's own words might quote a value.
    const reason = 'code' in error ? `SQLSTATE ${String(error.code)}` : error.message
    await expect(failed).rejects.toThrow(`Postgres does not take the batch: ${reason}`)
    expect(store.batches).toEqual([8])
  })

  test('also when it goes away in the middle, and the rest is stored the next time', async () => {
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

test('a member that lost the partition is told so, and nothing is tried again', async () => {
  const store = new FakeStore([3], () => new FencedError('a later member'))
  await expect(handlerOf(store.store)(eight)).rejects.toBeInstanceOf(FencedError)
  expect(store.batches).toEqual([8])
})

test('nothing is stored without an epoch', async () => {
  const store = new FakeStore([])
  batch.epochFailure = new Error('ECONNREFUSED')
  await expect(handlerOf(store.store)(eight)).rejects.toBeInstanceOf(TransientError)
  batch.epochFailure = null
  expect(store.batches).toEqual([])
})

test('a store that refuses even the offset is a bug, and is not asked for ever', async () => {
  const refuse = (): Promise<never> => Promise.reject(sqlError('22P05'))
  await expect(handlerOf(refuse)([])).rejects.toMatchObject({ code: '22P05' })
})
