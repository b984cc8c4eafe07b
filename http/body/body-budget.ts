/** Body budget: limits the memory that request bodies may take in this process. */
import { longText } from '../../core/json/steps.ts'
import { decompressorBytes } from './decompress.ts'

export const bodyBytesMax = 10 * 1024 * 1024
/**
 * Maximum memory of a compressed body in bytes: the received bytes, the decompressed bytes and the
 * window of the decompressor. The start of a long body is decompressed twice.
 */
const leaseBytesMax = 3 * bodyBytesMax + 2 * (longText + decompressorBytes)
/** Maximum fraction of the budget for one organization or network. */
const partOfOne = 1 / 4
/** Maximum size in bytes of bodies that may use the reserved part of the budget. */
const smallBytes = 64 * 1024
const partOfSmall = 1 / 8

export interface BodyBudget {
  /** Creates a lease for a request that reads a body. */
  lease(): BodyLease
  /** Returns the number of bytes currently held. */
  bytes(): number
  /**
   * Ends the request of a body that arrives slowly.
   * @returns false if there is no such body
   */
  cutSlow(): boolean
}

export interface BodyLease {
  /** Bytes read so far, before and after decompression. */
  received: number
  decompressed: number
  /**
   * Begins to count the lease against the share of `sharedBy`. Must be called before any bytes are
   * taken. An organization or network may hold at most a quarter of the requests and of the bytes,
   * but always enough bytes for one body.
   * @param cut ends the request if others need its memory before its body has arrived completely
   * @returns false if the organization or network has too many requests
   */
  begin(sharedBy: string, cut: () => void): boolean
  /** Records that the whole body has arrived. */
  arrived(): void
  /**
   * Takes memory for this number of bytes.
   * @returns false if the bytes do not fit, in which case none are taken
   */
  take(bytes: number): boolean
  /** Releases all but this number of bytes. */
  keep(bytes: number): void
  /** Releases the lease. Idempotent. */
  end(): void
}

export function createBodyBudget(limits: BodyBudgetLimits, onRefuse: () => void): BodyBudget {
  const now = limits.now ?? (() => performance.now())
  const total: Total = { ...limits, now, bytes: 0, onRefuse, shares: new Map() }
  return {
    lease: () => new Lease(total),
    bytes: () => total.bytes,
    cutSlow: () => cutSlow(total)
  }
}

/**
 * If the largest share has at least this many arriving bodies, only its bodies are cut, and they
 * count as slow after `manySlowMs` instead of `slowMs`.
 */
const manyBodies = 32
const manySlowMs = 100
/**
 * Time in milliseconds after which a body counts as slow. Usually, only malicious callers and
 * broken networks take longer.
 */
const slowMs = 2000

/**
 * Ends the oldest slow body of the largest share if that share has many bodies, otherwise the
 * oldest slow body of all shares.
 */
function cutSlow({ shares, now }: Total): boolean {
  const all = [...shares.values()].filter(({ arriving }) => arriving.size > 0)
  const largest = all.reduce((one, other) => {
    return other.arriving.size > one.arriving.size ? other : one
  }, emptyShare)
  const hasMany = largest.arriving.size >= manyBodies
  const candidates = hasMany ? [largest] : all
  const since = now() - (hasMany ? manySlowMs : slowMs)
  let oldest: Lease | undefined
  for (const { arriving } of candidates) {
    const [first] = arriving
    if (first === undefined || first.since > since) continue
    if (oldest === undefined || first.since < oldest.since) oldest = first
  }
  oldest?.cut()
  return oldest !== undefined
}

const emptyShare: Share = { bytes: 0, leases: 0, arriving: new Set() }

interface BodyBudgetLimits {
  readonly bytesMax: number
  readonly requestsMax: number
  /** Monotonic time in milliseconds. */
  readonly now?: () => number
}

interface Total extends Required<BodyBudgetLimits> {
  bytes: number
  readonly onRefuse: () => void
  readonly shares: Map<string, Share>
}

/** Bytes and leases of an organization or network. */
interface Share {
  bytes: number
  leases: number
  /** Leases of bodies that have not arrived completely, oldest first. */
  readonly arriving: Set<Lease>
}

/**
 * Returns the maximum bytes of one share: a fraction of the budget, but always enough for one body.
 */
function shareMaxOf({ bytesMax }: Total): number {
  return Math.max(bytesMax * partOfOne, leaseBytesMax)
}

/** Returns the bytes reserved for small bodies. Always leaves enough for one large body. */
function reserveOf({ bytesMax }: Total): number {
  return Math.max(0, Math.min(bytesMax * partOfSmall, bytesMax - leaseBytesMax))
}

/**
 * A class instead of closures, because every request creates a lease, and closures would cost more
 * than the counting.
 */
class Lease implements BodyLease {
  received = 0
  decompressed = 0
  readonly #total: Total
  #held = 0
  #sharedBy = ''
  #share: Share | null = null
  #cut: () => void = () => {}
  /** When the body began to arrive. */
  since = 0

  constructor(total: Total) {
    this.#total = total
  }

  begin(sharedBy: string, cut: () => void): boolean {
    const { shares, requestsMax, onRefuse, now } = this.#total
    const share = shares.get(sharedBy) ?? { bytes: 0, leases: 0, arriving: new Set<Lease>() }
    if (share.leases >= requestsMax * partOfOne) {
      onRefuse()
      return false
    }
    share.leases += 1
    share.arriving.add(this)
    this.since = now()
    this.#cut = cut
    shares.set(sharedBy, share)
    this.#sharedBy = sharedBy
    this.#share = share
    return true
  }

  arrived(): void {
    this.#share?.arriving.delete(this)
  }

  cut(): void {
    this.arrived()
    this.#cut()
  }

  take(bytes: number): boolean {
    const total = this.#total
    const share = this.#share
    const isOver = share !== null && share.bytes + bytes > shareMaxOf(total)
    const reserve = this.#held + bytes > smallBytes ? reserveOf(total) : 0
    if (isOver || total.bytes + bytes > total.bytesMax - reserve) {
      total.onRefuse()
      return false
    }
    total.bytes += bytes
    if (share !== null) share.bytes += bytes
    this.#held += bytes
    return true
  }

  keep(bytes: number): void {
    const spare = Math.max(0, this.#held - bytes)
    this.#total.bytes -= spare
    if (this.#share !== null) this.#share.bytes -= spare
    this.#held -= spare
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
    share.arriving.delete(this)
    if (share.leases === 0) this.#total.shares.delete(this.#sharedBy)
    this.#share = null
  }
}
