/** When keys were last used, written to Postgres once a minute: off the path of a request, and best
 *  effort. What a process did not get to write before it was killed is forgotten. */
import type { Clock } from '../core/clock.ts'
import type { Queryable } from '../platform/postgres/postgres.ts'

export interface KeyUsage {
  note(keyId: string): void
  /** Writes what is new. Never throws: without Postgres it stays for the next time. */
  flush(): Promise<void>
}

/** Beyond them the keys that are not noted yet are left out until the next flush. */
const keysMax = 100_000
const keysInStatementMax = 1000
/**
 * Rows are locked in the order of their ids, since gateways that write the same keys at once would
 * else wait for each other; and of many gateways one in 30 seconds is enough.
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
        // Newer notes win.
        used = new Map([...left, ...used])
      }
    }
  }
}
