/** Tests the computation of the bytes that a decision adds to tables and indexes. */
import { expect, test } from '@jest/globals'
import { bytesIn, addedBetween, markdownOfAdded } from '../../../../bench/system/added-bytes.ts'
import type { AddedBytes } from '../../../../bench/system/added-bytes.ts'

const kept: AddedBytes = {
  decisions: 1000,
  relations: [
    { name: 'decisions', kind: 'table', bytes: 1300.4 },
    { name: 'decisions_pkey', kind: 'index', bytes: 76 },
    { name: 'accounts', kind: 'table', bytes: 0.3 }
  ],
  topics: { 'agent-decisions': 1340 },
  wal: 4000
}

test('returns added bytes, largest relation first', () => {
  const [empty, full] = [kept, { ...kept, topics: { 'agent-decisions': 1440 }, wal: 5000 }]
  const relations = [
    { name: 'decisions', kind: 'table', bytes: 2300.4 },
    { name: 'scores', kind: 'table', bytes: 3000 },
    { name: 'decisions_pkey', kind: 'index', bytes: 76 }
  ] as const
  expect(addedBetween(empty, { ...full, relations }, 10)).toEqual({
    decisions: 10,
    relations: [
      { name: 'scores', kind: 'table', bytes: 300 },
      { name: 'decisions', kind: 'table', bytes: 100 },
      { name: 'decisions_pkey', kind: 'index', bytes: 0 }
    ],
    topics: { 'agent-decisions': 10 },
    wal: 100
  })
})

test('adds up tables and indexes', () => {
  expect(bytesIn(kept, 'table')).toBeCloseTo(1300.7)
  expect(bytesIn(kept, 'index')).toBe(76)
  expect(bytesIn(kept)).toBeCloseTo(1376.7)
})

test('omits relations with less than one byte but includes them in the sum', () => {
  const lines = markdownOfAdded(kept).split('\n').slice(2)
  expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
    '| decisions | table | 1300 |',
    '| decisions_pkey | index | 76 |',
    '| Postgres | tables | 1301 |',
    '| Postgres | indexes | 76 |',
    '| Postgres | sum | 1377 |',
    '| write-ahead log | | 4000 |',
    '| agent-decisions | topic | 1340 |'
  ])
})
