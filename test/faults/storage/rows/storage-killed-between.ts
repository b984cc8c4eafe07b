/** Kills all storage processes between the database commit and the offset commit. */
import { committedOffsets, readAll } from '../../../support/kafka.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { proxyOf, repetitionsOf } from '../fault.ts'
import type { StorageFault, StorageScene } from '../fault.ts'

const members = 3

export const storageKilledBetween: StorageFault = {
  done: (settings) =>
    `all ${members} processes SIGKILLed with their rows committed and their offset commits held, ` +
    `${repetitionsOf(settings)} times`,
  members,
  throughProxy: true,
  inject: async (scene) => {
    const proxy = proxyOf(scene)
    const { members: group, settings } = scene
    let killed = 0
    for (let turn = 0; turn < repetitionsOf(settings); turn += 1) {
      proxy.holdOffsetCommits()
      // A process with a held offset commit has already committed its transaction.
      await waitUntil('every member has a commit that is held', () => {
        return new Set(proxy.heldCommits().map(({ memberId }) => memberId)).size === members
      })
      await group.kill(group.all)
      await proveBetween(scene)
      killed += members
      await proxy.heal()
      await Promise.all([group.start(members), scene.recover()])
    }
    return killed
  }
}

/** For each held commit, checks that its rows are stored and its offset is not committed. */
async function proveBetween({ installation, proxy, ledger }: StorageScene): Promise<void> {
  const { groups, topics, database } = installation
  const committed = await committedOffsets(groups.storage, topics.decisions)
  const records = await readAll(topics.decisions, committed)
  const held = (proxy?.heldCommits() ?? []).flatMap(({ offsets }) => offsets)
  for (const { partition, offset } of held.filter(({ topic }) => topic === topics.decisions)) {
    if ((committed.get(partition) ?? 0n) >= offset) {
      ledger.complain(
        `the offset of partition ${partition} was committed although the commit was held`
      )
    }
    const covered = records.filter((each) => each.partition === partition && each.offset < offset)
    const ids = [...new Set(covered.map(({ headers }) => headers['decision_id']))]
    const [row] = await database.query<{ n: number }>(
      'select count(distinct decision_id)::integer as n from decisions where decision_id = any($1)',
      [ids]
    )
    if (ids.length === 0 || row?.n !== ids.length) {
      ledger.complain(`${row?.n} of ${ids.length} decisions before ${partition}/${offset} are rows`)
    }
  }
}
