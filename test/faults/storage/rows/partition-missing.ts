/** Removes today's table partition, and later the default partition, so that no partition accepts
 * today's rows.
 */
import { aDecision } from '../../../support/builders.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import type { StorageFault, StorageScene } from '../fault.ts'

const dayMs = 86_400_000
const farDays = 400

export const partitionMissing: StorageFault = {
  done: ({ seconds }) =>
    `today's partition dropped for ${seconds} s with its rows moved to the default one, ` +
    `decisions of a day in ${farDays} days, then no default partition for ${seconds} s`,
  inject: async (scene) => {
    const { database } = scene.installation
    await database.query(dropToday)
    await sendFarAhead(scene)
    await waitUntil('rows are in the default partition', () => isInDefault(scene))
    await scene.last()
    await database.query('alter table decisions detach partition decisions_default')
    await scene.last()
    await database.query('alter table decisions attach partition decisions_default default')
    await scene.recover()
    return 2
  },
  missingEffect: ({ days }) => (days.length > 1 ? null : 'no decision of a distant day was stored')
}

/** Drops today's partition and moves its rows to the default partition in one transaction. */
const dropToday = `
  do $$
  declare
    today text := 'decisions_' || to_char(now() at time zone 'utc', 'YYYYMMDD');
  begin
    lock table decisions in access exclusive mode;
    execute format('alter table decisions detach partition %I', today);
    execute format('insert into decisions select * from %I', today);
    execute format('drop table %I', today);
  end
  $$`

/**
 * Writes decisions dated far in the future, directly to Kafka. A gateway with a shifted clock
 * cannot write them, because the broker rejects record timestamps in the far future.
 */
async function sendFarAhead({ foreign }: StorageScene): Promise<void> {
  const received_at = Date.now() + farDays * dayMs
  const decisions = Array.from({ length: 20 }, () => aDecision({ received_at }))
  await foreign.send(decisions, 0)
}

async function isInDefault({ installation }: StorageScene): Promise<boolean> {
  const [row] = await installation.database.query<{ days: number }>(
    `select count(distinct received_at::date)::integer as days from decisions_default`
  )
  return (row?.days ?? 0) >= 2
}
