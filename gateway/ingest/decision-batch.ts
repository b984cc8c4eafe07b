/** The decisions of a request. Each has an encoded Kafka record, a problem for which it was
 * rejected, or both.
 */
import type { Problem } from '../../core/problem.ts'
import type { BufferPool } from '../../platform/process/buffer-pool.ts'
import { keyTextOf, valueStartOf } from '../../platform/kafka/producer/encoded-records.ts'
import type { RecordPlaces } from '../../platform/kafka/producer/encoded-records.ts'
import type { ItemPlaces } from './kernel/kernel.ts'
import type { Quota } from './limit-rate.ts'
import type { Submission } from './parse.ts'

/** Position of the decision_id in the value of a record, after the wire header and a length. */
const idFrom = 6
/** Size of a decision_id in bytes. */
export const idBytes = 36
const agentIdCharsMax = 255
const sdkVersionCharsMax = 100

interface BatchOptions {
  readonly count: number
  readonly client_report?: unknown
  /** The records that the kernel wrote, and the pool from which the slab comes. Default: none. */
  readonly slab?: Buffer
  readonly pool?: BufferPool
}

export class DecisionBatch implements RecordPlaces {
  /** Null while the decision is not rejected. */
  readonly problems: (Problem | null)[]
  /**
   * Length of each parsed text, in characters, or in bytes for JSON lines. 0 if the kernel read the
   * decision, which can be rejected only with retryable problems.
   */
  readonly sizes: number[]
  /** The record of a decision is in `buffers[index]`; null if it was rejected before encoding. */
  readonly buffers: (Buffer | null)[]
  readonly starts: number[]
  readonly ends: number[]
  /** Whether a record may still be sent, so that the slab must not be reused. */
  isBeingSent = false
  /** The SDK's report of dropped decisions, not validated; undefined if absent. */
  readonly client_report: unknown
  /** Null for a decision that the kernel read, and for a line that is not JSON. */
  readonly #submissions: (Submission | null)[]
  readonly #rejectedIds: (string | null)[]
  readonly #hasAgent: boolean[]
  readonly #pool: BufferPool | undefined
  #slab: Buffer | null
  /** Place of the first sdk_version in the slab. The decisions of a batch come from one SDK. */
  #sdkStart = 0
  #sdkEnd = 0

  constructor({ count, client_report, slab, pool }: BatchOptions) {
    this.problems = listOf(count, null)
    this.sizes = listOf(count, 0)
    this.buffers = listOf(count, null)
    this.starts = listOf(count, 0)
    this.ends = listOf(count, 0)
    this.#submissions = listOf(count, null)
    this.#rejectedIds = listOf(count, null)
    this.#hasAgent = listOf(count, false)
    this.client_report = client_report
    this.#slab = slab ?? null
    this.#pool = pool
  }

  get count(): number {
    return this.problems.length
  }

  /** Notes the record of a decision that the kernel read. */
  noteRead(index: number, row: ItemPlaces): void {
    this.buffers[index] = this.#slab
    this.starts[index] = row.recordStart
    this.ends[index] = row.recordEnd
    this.#hasAgent[index] = row.hasAgent === 1
    if (this.#sdkStart < this.#sdkEnd) return
    this.#sdkStart = row.sdkStart
    this.#sdkEnd = row.sdkEnd
  }

  /** Notes the text of a decision that was parsed. */
  parsed(index: number, submission: Submission | null, size: number): void {
    this.#submissions[index] = submission
    this.sizes[index] = size
  }

  accept(index: number, record: Buffer): void {
    this.buffers[index] = record
    this.ends[index] = record.length
  }

  /** @param id the decision_id with which the caller may retry; null if it is unknown */
  reject(index: number, problem: Problem, id: string | null): void {
    this.problems[index] = problem
    this.#rejectedIds[index] = id
  }

  /** Rejects the decisions that the quota does not cover. */
  admit({ granted, problem }: Quota): void {
    if (problem === null) return
    for (let index = granted; index < this.count; index++) this.problems[index] ??= problem
  }

  /** @throws {Problem} if the first decision was rejected */
  throwRejected(): void {
    const [problem = null] = this.problems
    if (problem !== null) throw problem
  }

  /** Returns the decision_id, or null if it is unknown. */
  idAt(index: number): string | null {
    const buffer = this.buffers[index] ?? null
    if (buffer === null) return this.#rejectedIds[index] ?? null
    const from = this.#idStart(index)
    return buffer.toString('latin1', from, from + idBytes)
  }

  /** Copies the decision_id into `target` at `at`. The decision must have a record. */
  copyId(index: number, target: Buffer, at: number): void {
    const from = this.#idStart(index)
    const buffer = this.buffers[index] as Buffer
    buffer.copy(target, at, from, from + idBytes)
  }

  #idStart(index: number): number {
    return valueStartOf(this.buffers[index] as Buffer, this.starts[index] as number) + idFrom
  }

  /** Returns the agent_id: empty if the decision names no agent, and null if it is invalid. */
  agentAt(index: number): string | null {
    const submission = this.#submissions[index] ?? null
    const buffer = this.buffers[index] ?? null
    if (submission !== null || buffer === null) return agentIdOf(submission)
    return this.#hasAgent[index] === true ? keyTextOf(buffer, this.starts[index] as number) : ''
  }

  /** Returns the sdk_version; that of the batch if the parser did not read the decision. */
  sdkVersionAt(index: number): string | null {
    const submission = this.#submissions[index] ?? null
    if (submission !== null) return sdkVersionOf(submission) || null
    return this.#slab?.toString('utf8', this.#sdkStart, this.#sdkEnd) || null
  }

  /** Gives the slab back to the pool, unless a record may still be sent. Call it last. */
  release(): void {
    if (this.#slab !== null && !this.isBeingSent) this.#pool?.give(this.#slab)
    this.#slab = null
    this.buffers.fill(null)
  }
}

/** Creates a list with its final size, because a list that grows is reallocated repeatedly. */
function listOf<T>(count: number, value: T): T[] {
  return count === 1 ? [value] : new Array<T>(count).fill(value)
}

/**
 * Returns the agent_id: empty if the submission names no agent, and null if the agent_id is invalid
 * or there is no JSON object to read it from.
 */
function agentIdOf(submission: Submission | null): string | null {
  const value = valueOf(submission)
  if (value === null) return null
  const agentId = value['agent_id'] ?? ''
  return isText(agentId, agentIdCharsMax) ? agentId : null
}

function sdkVersionOf(submission: Submission | null): string | null {
  const version = valueOf(submission)?.['sdk_version']
  return isText(version, sdkVersionCharsMax) ? version : null
}

function valueOf(submission: Submission | null): Record<string, unknown> | null {
  if (submission === null) return null
  const { value } = submission
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : null
}

/**
 * Checks whether the value is valid in a decision: well-formed, within the length limit, without
 * U+0000.
 */
function isText(value: unknown, charsMax: number): value is string {
  if (typeof value !== 'string' || value.length > 2 * charsMax) return false
  return value.isWellFormed() && !value.includes('\0') && [...value].length <= charsMax
}
