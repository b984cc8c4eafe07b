/** Bisecting: exactly the records that the store refuses are condemned. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import pg from 'pg'
import { done, duplicate, TransientError } from '../../../../core/consumed.ts'
import { bisecting } from '../../../../consumers/storage/bisect.ts'

function sqlError(code: string): Error {
  return Object.assign(new pg.DatabaseError('the row is (secret)', 0, 'error'), { code })
}

/** Stores a batch whole or not at all; a second time each is a duplicate. */
class FakeStore {
  readonly stored = new Set<number>()
  readonly batches: number[] = []
  readonly refused: ReadonlySet<number>
  readonly errorOf: (value: number) => Error

  constructor(refused: Iterable<number>, errorOf = (_value: number) => sqlError('22P05')) {
    this.refused = new Set(refused)
    this.errorOf = errorOf
  }

  store = async (values: readonly number[]) => {
    this.batches.push(values.length)
    const culprit = values.find((value) => this.refused.has(value))
    if (culprit !== undefined) throw this.errorOf(culprit)
    return values.map((value) => {
      const isNew = !this.stored.has(value)
      this.stored.add(value)
      return isNew ? done : duplicate
    })
  }
}

const eight = [0, 1, 2, 3, 4, 5, 6, 7]

test('a batch that the store takes is stored in one go', async () => {
  const store = new FakeStore([])
  expect(await bisecting(store.store)(eight)).toEqual(eight.map(() => done))
  expect(store.batches).toEqual([8])
})

test('the store is not bothered with nothing', async () => {
  const store = new FakeStore([])
  expect(await bisecting(store.store)([])).toEqual([])
  expect(store.batches).toEqual([])
})

test('one at fault is found in a logarithm of attempts, and the others are stored', async () => {
  const store = new FakeStore([5])
  const outcomes = await bisecting(store.store)(eight)
  expect(outcomes.map(({ kind }) => kind)).toEqual(
    eight.map((value) => (value === 5 ? 'dead_letter' : 'done'))
  )
  expect(store.batches).toEqual([8, 4, 4, 2, 1, 1, 2])
})

test('the letter tells the SQLSTATE and not the row', async () => {
  const [outcome] = await bisecting(new FakeStore([1]).store)([1])
  expect(outcome).toEqual({
    kind: 'dead_letter',
    step: 'store',
    reason: 'refused_by_store',
    error: 'SQLSTATE 22P05'
  })
})

test('a bug of ours condemns no record: it is thrown, and ends the process', async () => {
  const store = new FakeStore([1], () => new TypeError('no such member'))
  await expect(bisecting(store.store)([0, 1, 2])).rejects.toThrow(TypeError)
})

test('exactly the refused are condemned, whatever batch they stand in', async () => {
  const batches = fc
    .uniqueArray(fc.nat(999), { maxLength: 60 })
    .chain((values) => fc.tuple(fc.constant(values), fc.subarray(values)))
  await fc.assert(
    fc.asyncProperty(batches, async ([values, refused]) => {
      const store = new FakeStore(refused)
      const outcomes = await bisecting(store.store)(values)
      expect(outcomes.map(({ kind }) => kind)).toEqual(
        values.map((value) => (store.refused.has(value) ? 'dead_letter' : 'done'))
      )
      expect(store.stored).toEqual(new Set(values.filter((value) => !store.refused.has(value))))
      expect(store.batches.length).toBeLessThanOrEqual(Math.max(1, 2 * values.length))
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
    const failed = bisecting(store.store)(eight)
    await expect(failed).rejects.toBeInstanceOf(TransientError)
    await expect(failed).rejects.toMatchObject({ cause: error })
    expect(store.batches).toEqual([8])
  })

  test('also when it goes away in the middle, and the rest is stored the next time', async () => {
    let isAway = true
    const refusing = (value: number): Error =>
      value === 1 || !isAway ? sqlError('22P05') : new Error('ECONNRESET')
    const store = new FakeStore([1, 6], refusing)
    const handle = bisecting(store.store)
    await expect(handle(eight)).rejects.toBeInstanceOf(TransientError)
    isAway = false
    expect((await handle(eight)).map(({ kind }) => kind)).toEqual([
      ...['duplicate', 'dead_letter', 'duplicate', 'duplicate'],
      ...['done', 'done', 'dead_letter', 'done']
    ])
  })
})
