/** Buffer pool: reuses large buffers. Memory outside V8's heap that is allocated for each request
 * causes full garbage collections, which cost more than the work itself.
 */

/** Maximum size in bytes of the unused buffers in a pool. */
const unusedBytesMax = 32 * 1024 * 1024
/** Larger buffers are not pooled, so they have exactly the requested size. */
const pooledBytesMax = unusedBytesMax / 4
/** Sizes are powers of two, so that any request of a similar size can reuse a buffer. */
const exponentMin = 12

export class BufferPool {
  readonly #unused = new Map<number, Buffer[]>()
  #unusedBytes = 0

  /** Returns a buffer of at least `bytes` bytes. It may contain bytes of its previous use. */
  take(bytes: number): Buffer {
    if (bytes > pooledBytesMax) return Buffer.allocUnsafeSlow(bytes)
    const size = 2 ** Math.max(exponentMin, 32 - Math.clz32(Math.max(bytes, 1) - 1))
    const buffer = this.#unused.get(size)?.pop()
    if (buffer === undefined) return Buffer.allocUnsafeSlow(size)
    this.#unusedBytes -= size
    return buffer
  }

  /**
   * Takes a buffer back that `take` returned. Nothing may read or write it afterwards. A buffer
   * that is still in use, for example by a socket, must be left to the garbage collector.
   */
  give(buffer: Buffer): void {
    const size = buffer.length
    if (size > pooledBytesMax) return
    while (this.#unusedBytes + size > unusedBytesMax) this.#dropOne()
    const unused = this.#unused.get(size)
    if (unused === undefined) this.#unused.set(size, [buffer])
    else unused.push(buffer)
    this.#unusedBytes += size
  }

  /** Drops a buffer of the size that takes most memory, so that a past load cannot fill it. */
  #dropOne(): void {
    let [most, largest] = [0, 0]
    for (const [size, { length }] of this.#unused) {
      if (size * length > most) [most, largest] = [size * length, size]
    }
    this.#unused.get(largest)?.pop()
    this.#unusedBytes -= largest
  }
}
