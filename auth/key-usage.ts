/** Records when API keys were last used. Writes to Postgres once a minute, outside the request
 * path, so a killed process loses up to one minute of uses.
 */
import type { Clock } from '../core/clock.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'

interface KeyUsage {
  note(keyId: string): void
  /**
   * Writes the recorded uses. Never throws: if Postgres is unavailable, the uses are kept for the
   * next flush.
   */
  flush(): Promise<void>
}

/** Maximum number of keys recorded between two flushes. Uses of further keys are dropped. */
const keysMax = 100_000
const keysInStatementMax = 1000
/**
 * Locks rows in the order of their ids, because gateways that write the same keys could otherwise
 * deadlock. Updates a key at most once in 30 seconds, however many gateways use it.
 */
const statement = `
  with used as (
    select k.key_id, to_timestamp(u.at / 1000.0) as at
      from api_keys k join unnest($1::text[], $2::float8[]) as u (key_id, at) using (key_id)
     where k.last_used_at is null
        or k.last_used_at < to_timestamp(u.at / 1000.0) - interval '30 seconds'
     order by k.key_id
       for no key update of k
  )
  update api_keys k set last_used_at = greatest(k.last_used_at, used.at)
    from used where k.key_id = used.key_id`

export function createKeyUsage(dependencies: { postgres: Queryable; clock: Clock }): KeyUsage {
  const { postgres, clock } = dependencies
  let used = new Map<string, number>()

  return {
    note: (keyId) => {
      if (used.size < keysMax || used.has(keyId)) used.set(keyId, clock.now())
    },
    flush: async () => {
      const left = [...used]
      used = new Map()
      try {
        while (left.length > 0) {
          const batch = left.slice(0, keysInStatementMax)
          const [ids, times] = [batch.map(([keyId]) => keyId), batch.map(([, at]) => at)]
          await postgres.query(statement, [ids, times])
          left.splice(0, batch.length)
        }
      } catch {
        // More recent uses override older ones.
        used = new Map([...left, ...used])
      }
    }
  }
}
