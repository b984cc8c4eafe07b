/** The bytes of request bodies that this process may hold at once, over all requests. */
import { longText } from '../../core/json/steps.ts'
import { inflaterBytes } from './inflate.ts'

export const bodyBytesMax = 10 * 1024 * 1024
/**
 * The most that a compressed body takes: as sent, inflated, and the window of the inflater. The
 * start of a long body is inflated twice.
 */
const leaseBytesMax = 3 * bodyBytesMax + 2 * (longText + inflaterBytes)
/** One organization or network has at most this part of everything. */
const partOfOne = 1 / 4
/** Bodies of this size have a part for themselves, which large ones cannot take. */
const smallBytes = 64 * 1024
const partOfSmall = 1 / 8

export interface BodyBudget {
  /** One for each request that reads a body. */
  lease(): BodyLease
  /** Held now. */
  bytes(): number
  /**
   * Cuts a body that arrives slowly.
   * @returns false when there is none
   */
  cutSlow(): boolean
}

export interface BodyLease {
  /** Bytes read so far: as they came, and as they are inflated. */
  raw: number
  inflated: number
  /**
   * Before anything is taken: an organization or network has a quarter of all bytes at most, and of
   * the requests.
   * @param cut ends the request when others need its place, unless all of it has arrived
   * @returns false when it has too many
   */
  begin(sharedBy: string, cut: () => void): boolean
  /** The body has arrived whole. */
  arrived(): void
  /** @returns false when the bytes do not fit; then none of them is taken. */
  take(bytes: number): boolean
  /** Gives back all but so many of the bytes that were taken. */
  keep(bytes: number): void
  /** Gives back all that was taken; again does no harm. */
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

/** So many bodies that arrive at once are more than anybody needs who leaves others a place. */
const manyBodies = 32
const manySlowMs = 100
/** Slower are only callers who mean no good, or whose network is broken. */
const slowMs = 2000

/** Of the share with the most bodies if it has many, otherwise the oldest of all shares. */
function cutSlow({ shares, now }: Total): boolean {
  const all = [...shares.values()].filter(({ arriving }) => arriving.size > 0)
  const largest = all.reduce((one, other) => {
    return other.arriving.size > one.arriving.size ? other : one
  }, nobody)
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

const nobody: Share = { bytes: 0, leases: 0, arriving: new Set() }

export interface BodyBudgetLimits {
  readonly bytesMax: number
  readonly requestsMax: number
  /** Milliseconds of a clock that never jumps. */
  readonly now?: () => number
}

interface Total extends Required<BodyBudgetLimits> {
  bytes: number
  readonly onRefuse: () => void
  readonly shares: Map<string, Share>
}

/** What an organization or network holds, and in how many leases. */
interface Share {
  bytes: number
  leases: number
  /** Of bodies that have not arrived whole, the oldest first. */
  readonly arriving: Set<Lease>
}

/** Enough for one body, whatever the limit is. */
function shareMaxOf({ bytesMax }: Total): number {
  return Math.max(bytesMax * partOfOne, leaseBytesMax)
}

/** Large bodies have the rest, which is enough for one of them. */
function reserveOf({ bytesMax }: Total): number {
  return Math.max(0, Math.min(bytesMax * partOfSmall, bytesMax - leaseBytesMax))
}

/** A class, since every request makes one: closures would cost more than the counting. */
class Lease implements BodyLease {
  raw = 0
  inflated = 0
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
