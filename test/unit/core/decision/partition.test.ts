/** Tests that each key gets the same partition as with Kafka's Java client. */
import { expect, test } from '@jest/globals'
import { partitionOf } from '../../../../core/decision/partition.ts'

/** Hashes of keys, from Kafka's own test vectors. */
const vectors: [string, number][] = [
  ['21', -973_932_308],
  ['foobar', -790_332_482],
  ['a-little-bit-long-string', -985_981_536],
  ['a-little-bit-longer-string', -1_486_304_829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971]
]

test.each(vectors)("the partition of %s is that of Java's client", (key, hash) => {
  const partitions = 1_000_003
  expect(partitionOf(Buffer.from(key), partitions)).toBe((hash & 0x7fffffff) % partitions)
})

test('handles an empty key and a key of a megabyte', () => {
  for (const key of [Buffer.alloc(0), Buffer.alloc(1_000_000, 0xff)]) {
    const partition = partitionOf(key, 12)
    expect(partition).toBeGreaterThanOrEqual(0)
    expect(partition).toBeLessThan(12)
  }
})
