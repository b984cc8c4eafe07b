/** Resumes a process that was frozen past its session timeout, waits until it rejoins its group,
 * and stops it.
 */
import type { Application } from '../../support/application.ts'
import { waitUntil } from '../../support/wait-until.ts'
import type { StorageScene } from './fault.ts'

const joinMs = 60_000

/** Resolves when only the process that took over is left and has caught up. */
export async function retireZombie(scene: StorageScene, zombie: Application): Promise<void> {
  const { members: group, ledger, recover } = scene
  const [successor] = group.all.filter((member) => member !== zombie)
  zombie.thaw()
  await recover()
  // The resumed process finds out that it has been removed from the group. It rejoins, or exits and
  // is restarted.
  await waitUntil('all are members again', () => areReady(group.all), joinMs)
  if (group.all.length !== 2) ledger.complain(`${group.all.length} members of 2 are left`)
  await group.stop(group.all.filter((member) => member !== successor))
  await recover()
}

async function areReady(members: readonly Application[]): Promise<boolean> {
  const ready = await Promise.all(members.map((member) => member.isReady()))
  return ready.every(Boolean)
}
