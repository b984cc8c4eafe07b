/** The partition of the day is gone, then the default one as well: no table takes the rows. */
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
    await waitUntil('rows lie in the default partition', () => isInDefault(scene))
    await scene.last()
    await database.query('alter table decisions detach partition decisions_default')
    await scene.last()
    await database.query('alter table decisions attach partition decisions_default default')
    await scene.recover()
    return 2
  },
  doubts: ({ days }) => (days.length > 1 ? null : 'no decision of a far day was stored')
}

/** In one transaction, and with the rows kept: what is to be missing is the table alone. */
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

/** A gateway cannot: the broker takes no record that is stamped so far ahead. */
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
