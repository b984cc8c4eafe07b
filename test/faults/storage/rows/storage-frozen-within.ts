/** A process is stopped within its transaction, and what it has locked stays locked. */
import pg from 'pg'
import { waitUntilConsumed } from '../../../support/kafka.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { buryZombie } from '../bury-zombie.ts'
import { turnsOf } from '../fault.ts'
import type { StorageFault, StorageScene } from '../fault.ts'

/** The session of a dead member, and the time that a transaction may do nothing. */
const takeOverMs = 120_000

function roundsOf(settings: StorageScene['settings']): number {
  return Math.ceil(turnsOf(settings) / 4)
}

export const storageFrozenWithin: StorageFault = {
  done: (settings) =>
    'SIGSTOP with identities inserted and not committed, until another member has caught up, ' +
    `SIGCONT, ${roundsOf(settings)} times`,
  inject: async (scene) => {
    const rounds = roundsOf(scene.settings)
    for (let round = 0; round < rounds; round += 1) await freeze(scene)
    return rounds
  }
}

async function freeze(scene: StorageScene): Promise<void> {
  const { members: group, installation, recover } = scene
  const { groups, topics } = installation
  const [zombie] = group.all
  if (zombie === undefined) throw new Error('no member is left')
  // The rows come after the identities, and have to wait: there it stops.
  await withLock(installation.database.url, async () => {
    await waitUntil('it waits within its transaction', () => isSeen(scene, 'active'))
    zombie.freeze()
  })
  await waitUntil('its transaction stands', () => isSeen(scene, 'idle in transaction'))
  await group.start(1)
  await waitUntilConsumed(groups.storage, topics.decisions, takeOverMs)
  await recover()
  await buryZombie(scene, zombie)
}

/** Whether a session of the group is in this state, with identities that are not committed. */
async function isSeen({ installation }: StorageScene, state: string): Promise<boolean> {
  const sessions = await installation.database.query(
    `select from pg_stat_activity a
       join pg_locks l on l.pid = a.pid
      where a.application_name = $1 and a.state = $2
        and l.relation = 'decision_ids'::regclass and l.mode = 'RowExclusiveLock'`,
    [installation.groups.storage, state]
  )
  return sessions.length > 0
}

async function withLock(databaseUrl: string, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('begin')
    await client.query('lock table decisions in share mode')
    await work()
    await client.query('rollback')
  } finally {
    await client.end()
  }
}
