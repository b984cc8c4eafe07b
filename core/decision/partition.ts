/** Which partition a key belongs to: murmur2 as Kafka's own clients have it.
 *
 * kafkajs has it too, but its hash grows with every byte: a key of a megabyte, which anyone who may
 * write
 * to a topic can send, would hold the process for minutes.
 */

const multiplier = 0x5bd1e995
const seed = 0x9747b28c
const positive = 0x7fffffff

/** The partition of `key` among `partitions`, the same as Java's. Linear in the key. */
export function partitionOf(key: Buffer, partitions: number): number {
  return (murmur2(key) & positive) % partitions
}

function murmur2(bytes: Buffer): number {
  let hash = seed ^ bytes.length
  let at = 0
  for (; at + 4 <= bytes.length; at += 4) {
    let word = Math.imul(bytes.readInt32LE(at), multiplier)
    word = Math.imul(word ^ (word >>> 24), multiplier)
    hash = Math.imul(hash, multiplier) ^ word
  }
  if (at < bytes.length) {
    hash = Math.imul(hash ^ bytes.readUIntLE(at, bytes.length - at), multiplier)
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier)
  return hash ^ (hash >>> 15)
}
