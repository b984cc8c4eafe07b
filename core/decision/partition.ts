/** Computes the partition of a key with murmur2, like Kafka's own clients.
 *
 * The implementation in kafkajs is not used, because its cost grows faster than linearly with the
 * key length. Any client with write access to a topic could block the process for minutes with a
 * one-megabyte key.
 */

const multiplier = 0x5bd1e995
const seed = 0x9747b28c
const positive = 0x7fffffff

/** Returns the partition that Kafka's Java client would choose for `key`, in linear time. */
export function partitionOf(key: Buffer, partitions: number): number {
  return positiveHash(key, 0, key.length) % partitions
}

/** Returns the hash of the key from `start` to `end`; modulo the partitions, it is a partition. */
export function positiveHash(bytes: Buffer, start: number, end: number): number {
  return murmur2(bytes, start, end) & positive
}

function murmur2(bytes: Buffer, start: number, end: number): number {
  let hash = seed ^ (end - start)
  let at = start
  for (; at + 4 <= end; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), multiplier)
    word = Math.imul(word ^ (word >>> 24), multiplier)
    hash = Math.imul(hash, multiplier) ^ word
  }
  if (at < end) hash = Math.imul(hash ^ bytes.readUIntLE(at, end - at), multiplier)
  hash = Math.imul(hash ^ (hash >>> 13), multiplier)
  return hash ^ (hash >>> 15)
}
