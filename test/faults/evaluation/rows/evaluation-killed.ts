/** Processes of evaluation die with calls to the judge open. */
import { waitUntil } from '../../../support/wait-until.ts'
import { turnsOf } from '../../storage/fault.ts'
import type { EvaluationFault, EvaluationScene } from '../fault.ts'

/** Calls under way, so that killing is worth it. */
const openMin = 3
const openMs = 60_000

export const evaluationKilled: EvaluationFault = {
  done: (settings) =>
    `SIGKILL to one or both of 2 processes with calls held open, ${turnsOf(settings)} times`,
  inject: async (scene) => {
    let killed = 0
    for (let turn = 0; turn < turnsOf(scene.settings); turn += 1) killed += await kill(scene, turn)
    return killed
  }
}

async function kill(scene: EvaluationScene, turn: number): Promise<number> {
  const { judge, evaluation, ledger, recover } = scene
  const open = await holdCalls(scene)
  // Both now and then: nobody is there to go on meanwhile.
  const chosen = turn % 3 === 1 ? [...evaluation.all] : evaluation.all.slice(0, 1)
  await evaluation.kill(chosen)
  const at = Date.now()
  chosen.forEach(({ pid }) => ledger.write({ line: 'kill', at, pid, open }))
  await judge.hold(false)
  await evaluation.start(chosen.length)
  await recover()
  return chosen.length
}

/** Resolves with how many calls are open, and stay so until they are let go. */
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
