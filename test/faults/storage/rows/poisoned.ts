/** Records that nobody can store lie among good ones. */
import { setTimeout as pause } from 'node:timers/promises'
import { aDecision } from '../../../support/builders.ts'
import { turnsOf } from '../fault.ts'
import type { StorageFault, StorageScene } from '../fault.ts'
import { oddities, poisons } from '../poison.ts'

const partitions = 12
/** Few among many: a flood of dead letters is another matter. */
const betweenMs = 150

function roundsOf(settings: { rounds: number }): number {
  return Math.ceil(turnsOf(settings) / 3)
}

export const poisoned: StorageFault = {
  done: (settings) =>
    `every kind ${roundsOf(settings)} times among good ones, and valid decisions of a foreign ` +
    'producer in gzip',
  members: 2,
  inject: async (scene) => {
    const { foreign, random, settings, recover } = scene
    let written = 0
    for (let round = 0; round < roundsOf(settings); round += 1) {
      for (const poison of poisons(foreign.encode)) {
        await foreign.poison(poison, random.below(partitions))
        written += 1
        await pause(random.below(2 * betweenMs))
      }
      await sendOddities(scene)
    }
    await recover()
    return written
  },
  doubts: ({ poison, deadLetters, conflicts }) =>
    deadLetters === poison + conflicts ? null : `${deadLetters} dead letters`
}

/** Strange, and nothing is wrong with them: they are stored. */
async function sendOddities({ foreign, random }: StorageScene): Promise<void> {
  const decisions = oddities.map((changes) => aDecision({ ...changes, received_at: Date.now() }))
  await foreign.send(decisions, random.below(partitions))
}
