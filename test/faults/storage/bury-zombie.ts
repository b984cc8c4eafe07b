/** The end of a freeze: the process goes on, finds out what it has missed, and makes way. */
import type { Application } from '../../support/application.ts'
import { waitUntil } from '../../support/wait-until.ts'
import type { StorageScene } from './fault.ts'

const joinMs = 60_000

/** Lets it go on beside its successor, waits until both are members, and keeps the successor. */
export async function buryZombie(scene: StorageScene, zombie: Application): Promise<void> {
  const { members: group, ledger, recover } = scene
  const [successor] = group.all.filter((member) => member !== zombie)
  zombie.thaw()
  await recover()
  // It finds out by itself that it is a member no more, and joins again, or ends and is started.
  await waitUntil('all are members again', () => areReady(group.all), joinMs)
  if (group.all.length !== 2) ledger.complain(`${group.all.length} members are left of 2`)
  await group.stop(group.all.filter((member) => member !== successor))
  await recover()
}

async function areReady(members: readonly Application[]): Promise<boolean> {
  const ready = await Promise.all(members.map((member) => member.isReady()))
  return ready.every(Boolean)
}
