/** When keys were last used, written to Postgres once a minute: off the path of a request, and best
 *  effort. What a process did not get to write before it was killed is forgotten. */
import type { Clock } from '../../core/clock.ts'
import type { Queryable } from '../../platform/postgres.ts'

export interface KeyUsage {
  note(keyId: string): void
  /** Writes what is new. Never throws: without Postgres it stays for the next time. */
  flush(): Promise<void>
}

/** Beyond them the keys that are not noted yet are left out until the next flush. */
const keysMax = 100_000

export function createKeyUsage(dependencies: { postgres: Queryable; clock: Clock }): KeyUsage {
  const { postgres, clock } = dependencies
  let used = new Map<string, number>()

  return {
    note: (keyId) => {
      if (used.size < keysMax || used.has(keyId)) used.set(keyId, clock.now())
    },
    flush: async () => {
      if (used.size === 0) return
      const flushed = used
      used = new Map()
      try {
        await postgres.query(
          `update api_keys k set last_used_at = to_timestamp(u.at / 1000.0)
             from unnest($1::text[], $2::float8[]) as u (key_id, at)
            where k.key_id = u.key_id
              and (k.last_used_at is null or k.last_used_at < to_timestamp(u.at / 1000.0))`,
          [[...flushed.keys()], [...flushed.values()]]
        )
      } catch {
        // Newer notes win.
        used = new Map([...flushed, ...used])
      }
    }
  }
}
