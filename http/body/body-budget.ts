/** The bytes of request bodies that this process may hold at once, over all requests. */
import { longText } from '../../core/json/steps.ts'
import { inflaterBytes } from './inflate.ts'

export const bodyBytesMax = 10 * 1024 * 1024
/**
 * The most that a compressed body takes: as sent, inflated, and the window of the inflater. The
 * start of a long body is inflated twice.
 */
const leaseBytesMax = 3 * bodyBytesMax + 2 * (longText + inflaterBytes)

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
  /** Before anything is taken: of one organization half of all bytes are held at most. */
  countFor(organizationId: string): void
  /** @returns false when the bytes do not fit; then none of them is taken. */
  take(bytes: number): boolean
  /** Gives back all that was taken; again does no harm. */
  end(): void
}

export function createBodyBudget(bytesMax: number, onRefuse: () => void): BodyBudget {
  const total: Total = { bytes: 0, bytesMax, onRefuse, shares: new Map() }
  return { lease: () => new Lease(total), bytes: () => total.bytes }
}

interface Total {
  bytes: number
  readonly bytesMax: number
  readonly onRefuse: () => void
  readonly shares: Map<string, Share>
}

/** What one organization holds, and in how many leases. */
interface Share {
  bytes: number
  leases: number
}

/** Enough for one body, whatever the limit is. */
function shareMaxOf({ bytesMax }: Total): number {
  return Math.max(bytesMax / 2, leaseBytesMax)
}

/** A class, since every request makes one: closures would cost more than the counting. */
class Lease implements BodyLease {
  raw = 0
  inflated = 0
  readonly #total: Total
  #held = 0
  #organizationId = ''
  #share: Share | null = null

  constructor(total: Total) {
    this.#total = total
  }

  countFor(organizationId: string): void {
    const { shares } = this.#total
    const share = shares.get(organizationId) ?? { bytes: 0, leases: 0 }
    share.leases += 1
    shares.set(organizationId, share)
    this.#organizationId = organizationId
    this.#share = share
  }

  take(bytes: number): boolean {
    const total = this.#total
    const share = this.#share
    const isOver = share !== null && share.bytes + bytes > shareMaxOf(total)
    if (isOver || total.bytes + bytes > total.bytesMax) {
      total.onRefuse()
      return false
    }
    total.bytes += bytes
    if (share !== null) share.bytes += bytes
    this.#held += bytes
    return true
  }

  end(): void {
    this.#total.bytes -= this.#held
    this.#endShare()
    this.#held = 0
  }

  #endShare(): void {
    const share = this.#share
    if (share === null) return
    share.bytes -= this.#held
    share.leases -= 1
    if (share.leases === 0) this.#total.shares.delete(this.#organizationId)
    this.#share = null
  }
}
