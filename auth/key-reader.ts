/** Reads API keys from Postgres, one query at a time. Keys requested during a query share the next
 * one, up to 500 per query.
 */
import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problem.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'
import { selectApiKeys } from './select-api-keys.ts'
import type { KeyEntry } from './select-api-keys.ts'
import { createAwaitedKeys } from './awaited-keys.ts'
import type { AwaitedKey } from './awaited-keys.ts'

interface KeyReader {
  /**
   * Reads a key. Concurrent callers that need the same key share one read.
   * @throws if Postgres fails or does not answer in time
   * @throws {Problem} 503 if too many keys are waiting
   */
  read(keyId: string): Promise<KeyEntry>
  /** Prevents the result of a read in progress from being cached, because it may be outdated. */
  outdate(keyId: string): void
  /** Checks whether Postgres failed recently or has not answered the current query in time. */
  isUnavailable(): boolean
}

export interface KeyReaderDependencies {
  readonly postgres: Queryable
  readonly clock: Clock
  /**
   * Called with each result that is not outdated, before the waiting callers receive it. Also
   * called with results that arrive after the callers' timeout.
   */
  readonly keep: (keyId: string, entry: KeyEntry) => void
  /** Maximum number of keys that wait for the next query. */
  readonly waitingMax: number
}

const keysInQueryMax = 500
/**
 * Maximum time in milliseconds that callers wait for a query. A query usually takes about one
 * millisecond.
 */
const lateAfterMs = 1000
/**
 * Time in milliseconds after a failed query during which reads fail without a new query, so that
 * retries do not make an outage worse.
 */
const pauseMs = 250
/**
 * How long Postgres counts as unavailable after a failure, in milliseconds, unless a later query
 * succeeds.
 */
const unavailableForMs = 2000

export function createKeyReader(dependencies: KeyReaderDependencies): KeyReader {
  const { postgres, clock, keep, waitingMax } = dependencies
  const keys = createAwaitedKeys()
  let isRunning = false
  let isLate = false
  let failure: { readonly at: number; readonly error: unknown } | null = null

  function refuseNow(): void {
    if (isLate) throw timeoutError()
    if (failure !== null && clock.now() - failure.at < pauseMs) throw failure.error
    if (keys.waiting() >= waitingMax) throw tooMany()
  }

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    while (keys.waiting() > 0) await readAll(keys.take(keysInQueryMax))
    isRunning = false
  }

  async function readAll(awaited: readonly AwaitedKey[]): Promise<void> {
    const timer = setTimeout(() => {
      isLate = true
      for (const each of awaited) each.reject(timeoutError())
      keys.drop(keys.take(Infinity), timeoutError())
    }, lateAfterMs)
    const readAt = clock.now()
    const ids = awaited.map(({ key_id }) => key_id)
    try {
      const rows = await selectApiKeys(postgres, ids)
      failure = null
      for (const each of awaited) {
        const entry = { row: rows.get(each.key_id) ?? null, readAt }
        if (keys.settle(each, entry)) keep(each.key_id, entry)
      }
    } catch (error) {
      failure = { at: clock.now(), error }
      keys.drop([...awaited, ...keys.take(Infinity)], error)
    }
    clearTimeout(timer)
    isLate = false
  }

  async function read(keyId: string): Promise<KeyEntry> {
    const known = keys.promiseOf(keyId)
    if (known !== undefined) return known
    refuseNow()
    const reading = keys.add(keyId)
    void run()
    return reading
  }

  const isUnavailable = () => isLate || clock.now() - (failure?.at ?? -Infinity) < unavailableForMs
  return { read, outdate: keys.outdate, isUnavailable }
}

function timeoutError(): Error {
  return new Error(`Postgres did not answer within ${lateAfterMs} ms`)
}

function tooMany(): Problem {
  return new Problem('authentication_unavailable', {
    detail:
      'This instance has not cached the API key, and too many lookups are waiting. Retry shortly.',
    headers: { 'retry-after': '1' }
  })
}
