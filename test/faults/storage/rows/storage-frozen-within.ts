/** Freezes a storage process during a transaction, while it holds locks. */
import pg from 'pg'
import { waitUntilConsumed } from '../../../support/kafka.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { retireZombie } from '../retire-zombie.ts'
import { repetitionsOf } from '../fault.ts'
import type { StorageFault, StorageScene } from '../fault.ts'

/**
 * Maximum time in milliseconds until another process has caught up. It is generous: the takeover
 * itself needs the session timeout and Postgres's idle-in-transaction timeout, 16 seconds at most.
 */
const takeOverMs = 120_000

function roundsOf(settings: StorageScene['settings']): number {
  return Math.ceil(repetitionsOf(settings) / 4)
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
  // The transaction inserts ids first and then waits for this lock to insert rows. Freeze the
  // process while it waits.
  await withLock(installation.database.url, async () => {
    await waitUntil('it waits within its transaction', () => isSeen(scene, 'active'))
    zombie.freeze()
  })
  await waitUntil('its transaction is idle', () => isSeen(scene, 'idle in transaction'))
  await group.start(1)
  await waitUntilConsumed(groups.storage, topics.decisions, takeOverMs)
  await recover()
  await retireZombie(scene, zombie)
}

/** Checks whether a storage session in the given state has uncommitted ids. */
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
