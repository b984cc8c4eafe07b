/** The bytes of request bodies that this process may hold at once, over all requests. */

export interface BodyBudget {
  /** One for each request that reads a body. */
  lease(): BodyLease
  /** Held now. */
  bytes(): number
}

export interface BodyLease {
  /** Bytes read so far: as they came, and as they are inflated. */
  raw: number
  inflated: number
  /** @returns false when the bytes do not fit; then none of them is taken. */
  take(bytes: number): boolean
  /** Gives back all that was taken; again does no harm. */
  end(): void
}

export function createBodyBudget(bytesMax: number, onRefuse: () => void): BodyBudget {
  const total: Total = { bytes: 0, bytesMax, onRefuse }
  return { lease: () => new Lease(total), bytes: () => total.bytes }
}

interface Total {
  bytes: number
  readonly bytesMax: number
  readonly onRefuse: () => void
}

/** A class, since every request makes one: closures would cost more than the counting. */
class Lease implements BodyLease {
  raw = 0
  inflated = 0
  readonly #total: Total
  #held = 0

  constructor(total: Total) {
    this.#total = total
  }

  take(bytes: number): boolean {
    const total = this.#total
    if (total.bytes + bytes > total.bytesMax) {
      total.onRefuse()
      return false
    }
    total.bytes += bytes
    this.#held += bytes
    return true
  }

  end(): void {
    this.#total.bytes -= this.#held
    this.#held = 0
  }
}
