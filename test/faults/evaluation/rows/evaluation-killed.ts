/** Kills evaluation processes while judge calls are in progress. */
import { waitUntil } from '../../../support/wait-until.ts'
import { repetitionsOf } from '../../storage/fault.ts'
import type { EvaluationFault, EvaluationScene } from '../fault.ts'

/** Minimum number of calls in progress before a kill. */
const openMin = 3
const openMs = 60_000

export const evaluationKilled: EvaluationFault = {
  done: (settings) =>
    `SIGKILL to one or both of 2 processes with calls held open, ${repetitionsOf(settings)} times`,
  inject: async (scene) => {
    let killed = 0
    for (let turn = 0; turn < repetitionsOf(scene.settings); turn += 1)
      killed += await kill(scene, turn)
    return killed
  }
}

async function kill(scene: EvaluationScene, turn: number): Promise<number> {
  const { judge, evaluation, ledger, recover } = scene
  const open = await holdCalls(scene)
  // Every third time, kill both processes, so that neither can take over.
  const chosen = turn % 3 === 1 ? [...evaluation.all] : evaluation.all.slice(0, 1)
  await evaluation.kill(chosen)
  const at = Date.now()
  chosen.forEach(({ pid }) => ledger.write({ line: 'kill', at, pid, open }))
  await judge.hold(false)
  await evaluation.start(chosen.length)
  await recover()
  return chosen.length
}

/** Makes the judge hold calls, and resolves with their number when enough are held. */
export async function holdCalls({ judge }: EvaluationScene): Promise<number> {
  await judge.hold(true)
  return await waitUntil(
    'calls are open',
    async () => {
      const open = await judge.open()
      return open >= openMin ? open : null
    },
    openMs
  )
}
