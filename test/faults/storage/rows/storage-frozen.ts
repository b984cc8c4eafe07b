/** Freezes a storage process between the database commit and the offset commit, and resumes it
 * after another process has taken over.
 */
import { committedOffsets } from '../../../support/kafka.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { retireZombie } from '../retire-zombie.ts'
import { proxyOf, repetitionsOf } from '../fault.ts'
import type { StorageFault, StorageScene } from '../fault.ts'

const takeOverMs = 60_000

/** Half of the usual injections, because each one takes twice as long. */
function roundsOf(settings: StorageScene['settings']): number {
  return Math.ceil(repetitionsOf(settings) / 2)
}

export const storageFrozen: StorageFault = {
  done: (settings) =>
    `SIGSTOP with a held offset commit until another member has passed it, the commit sent late, ` +
    `SIGCONT, ${roundsOf(settings)} times`,
  throughProxy: true,
  inject: async (scene) => {
    const rounds = roundsOf(scene.settings)
    for (let round = 0; round < rounds; round += 1) await freeze(scene)
    return rounds
  }
}

async function freeze(scene: StorageScene): Promise<void> {
  const { members: group, installation } = scene
  const { groups, topics } = installation
  const proxy = proxyOf(scene)
  const [zombie] = group.all
  if (zombie === undefined) throw new Error('no member is left')
  proxy.holdOffsetCommits()
  await waitUntil('a commit is held', () => proxy.heldOffsetCommits() > 0)
  zombie.freeze()
  // The frozen process's commit stays held. Commits of other processes are forwarded.
  proxy.passOffsetCommits()
  const held = proxy.heldCommits().flatMap(({ offsets }) => offsets)
  await group.start(1)
  const hasPassed = async (): Promise<boolean> => {
    const committed = await committedOffsets(groups.storage, topics.decisions)
    return held.every(({ partition, offset }) => (committed.get(partition) ?? 0n) > offset)
  }
  await waitUntil('the successor is beyond the zombie', hasPassed, takeOverMs)
  proxy.releaseOffsetCommits()
  await retireZombie(scene, zombie)
}
