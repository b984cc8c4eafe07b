/** A process is stopped between rows and offsets, another takes over, and then it goes on. */
import { committedOffsets } from '../../../support/kafka.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { buryZombie } from '../bury-zombie.ts'
import { proxyOf, turnsOf } from '../fault.ts'
import type { StorageFault, StorageScene } from '../fault.ts'

const takeOverMs = 60_000

/** Half as often as what takes half the time. */
function roundsOf(settings: StorageScene['settings']): number {
  return Math.ceil(turnsOf(settings) / 2)
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
  // What it asked for stays held; what others ask for passes.
  proxy.passOffsetCommits()
  const held = proxy.heldCommits().flatMap(({ offsets }) => offsets)
  await group.start(1)
  const hasPassed = async (): Promise<boolean> => {
    const committed = await committedOffsets(groups.storage, topics.decisions)
    return held.every(({ partition, offset }) => (committed.get(partition) ?? 0n) > offset)
  }
  await waitUntil('the successor is beyond the zombie', hasPassed, takeOverMs)
  proxy.releaseOffsetCommits()
  await buryZombie(scene, zombie)
}
