/** Stops evaluation processes during judge calls, then rewinds their consumer group's offsets, so
 * that messages are redelivered.
 */
import { committedOffsets, groupMembers, setOffsets } from '../../../support/kafka.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import type { EvaluationFault, EvaluationScene } from '../fault.ts'
import { holdCalls } from './evaluation-killed.ts'

const leaveMs = 60_000
const releaseMs = 1500
/** Returns the number of injections: one in the short form, four in the long form. */
function repetitionsOf({ rounds }: { rounds: number }): number {
  return Math.max(1, Math.floor(rounds / 50))
}

export const evaluationRedelivered: EvaluationFault = {
  done: (settings) =>
    'SIGTERM to both processes with calls held open, and the offsets of the group set back, ' +
    `${repetitionsOf(settings)} times`,
  inject: async (scene) => {
    for (let turn = 0; turn < repetitionsOf(scene.settings); turn += 1) await deliverAgain(scene)
    return repetitionsOf(scene.settings)
  }
}

async function deliverAgain(scene: EvaluationScene): Promise<void> {
  const { judge, evaluation, recover } = scene
  const members = evaluation.all.length
  await holdCalls(scene)
  const stopped = evaluation.stop(evaluation.all)
  setTimeout(() => void judge.hold(false), releaseMs)
  await stopped
  await setBack(scene)
  await evaluation.start(members)
  await recover()
}

async function setBack({ installation, random, ledger }: EvaluationScene): Promise<void> {
  const { groups, topics } = installation
  const isEmpty = async (): Promise<boolean> => (await groupMembers(groups.evaluation)).length === 0
  await waitUntil('the group is empty', isEmpty, leaveMs)
  const committed = await committedOffsets(groups.evaluation, topics.decisions)
  const back = new Map(
    [...committed].map(([partition, at]) => [partition, BigInt(random.below(Number(at) + 1))])
  )
  await setOffsets(groups.evaluation, topics.decisions, back)
  const messages = [...committed].map(([partition, at]) => Number(at - (back.get(partition) ?? at)))
  ledger.write({ line: 'redelivered', messages: messages.reduce((sum, one) => sum + one, 0) })
}
