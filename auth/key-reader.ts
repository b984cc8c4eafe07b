/** Reads API keys from Postgres on one connection: what is asked for while a query runs goes into
 *  the next one, so that ten thousand keys cost no more queries than ten. */
import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problem.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'
import { selectApiKeys } from './select-api-keys.ts'
import type { KeyEntry } from './select-api-keys.ts'
import { createWantedKeys } from './wanted-keys.ts'
import type { WantedKey } from './wanted-keys.ts'

export interface KeyReader {
  /**
   * Whoever asks for a key that is being read waits for the same answer.
   * @throws when Postgres fails or is late; {Problem} 503 at once while too many keys wait.
   */
  read(keyId: string): Promise<KeyEntry>
  /** What is being read of this key may be old already: it is not kept. */
  outdate(keyId: string): void
  /** Postgres failed a moment ago, or is late now. */
  isAway(): boolean
}

export interface KeyReaderDependencies {
  readonly postgres: Queryable
  readonly clock: Clock
  /** Called for each reading, before anybody who waits for it goes on, and when it is late too. */
  readonly keep: (keyId: string, entry: KeyEntry) => void
  /** Keys that may wait for the query after the running one. */
  readonly waitingMax: number
}

const keysInQueryMax = 500
/** A query takes a millisecond; nobody waits longer than this for one that does not end. */
const lateAfterMs = 1000
/** After a failure nothing is asked for a moment, so that an outage is not made worse. */
const pauseMs = 250
/** A failure says this long that Postgres is away, unless a query succeeds. */
const awayForMs = 2000

export function createKeyReader(dependencies: KeyReaderDependencies): KeyReader {
  const { postgres, clock, keep, waitingMax } = dependencies
  const keys = createWantedKeys()
  let isRunning = false
  let isLate = false
  let failure: { readonly at: number; readonly error: unknown } | null = null

  function refuseNow(): void {
    if (isLate) throw lateness()
    if (failure !== null && clock.now() - failure.at < pauseMs) throw failure.error
    if (keys.waiting() >= waitingMax) throw tooMany()
  }

  async function run(): Promise<void> {
    if (isRunning) return
    isRunning = true
    while (keys.waiting() > 0) await readAll(keys.take(keysInQueryMax))
    isRunning = false
  }

  async function readAll(wanted: readonly WantedKey[]): Promise<void> {
    const timer = setTimeout(() => {
      isLate = true
      for (const each of wanted) each.reject(lateness())
      keys.drop(keys.take(Infinity), lateness())
    }, lateAfterMs)
    const readAt = clock.now()
    const ids = wanted.map(({ key_id }) => key_id)
    try {
      const rows = await selectApiKeys(postgres, ids)
      failure = null
      for (const each of wanted) {
        const entry = { row: rows.get(each.key_id) ?? null, readAt }
        if (keys.settle(each, entry)) keep(each.key_id, entry)
      }
    } catch (error) {
      failure = { at: clock.now(), error }
      keys.drop([...wanted, ...keys.take(Infinity)], error)
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

  const isAway = (): boolean => isLate || (failure !== null && clock.now() - failure.at < awayForMs)
  return { read, outdate: keys.outdate, isAway }
}

function lateness(): Error {
  return new Error(`Postgres has not answered for ${lateAfterMs} ms`)
}

function tooMany(): Problem {
  return new Problem('authentication_unavailable', {
    detail: 'The key is not known to this instance, and too many such keys are being looked up.',
    headers: { 'retry-after': '1' }
  })
}
