/** Mixes poison records with valid decisions. */
import { setTimeout as pause } from 'node:timers/promises'
import { aDecision } from '../../../support/builders.ts'
import { repetitionsOf } from '../fault.ts'
import type { StorageFault, StorageScene } from '../fault.ts'
import { oddities, poisons } from '../poison.ts'

const partitions = 12
/**
 * Average pause between poison records in milliseconds. It keeps their share below the dead-letter
 * limit.
 */
const betweenMs = 150

function roundsOf(settings: { rounds: number }): number {
  return Math.ceil(repetitionsOf(settings) / 3)
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
  missingEffect: ({ poison, deadLetterOrigins, conflicts }) =>
    deadLetterOrigins === poison + conflicts ? null : `${deadLetterOrigins} dead-letter records`
}

/** Writes unusual decisions that must be stored. */
async function sendOddities({ foreign, random }: StorageScene): Promise<void> {
  const decisions = oddities.map((changes) => aDecision({ ...changes, received_at: Date.now() }))
  await foreign.send(decisions, random.below(partitions))
}
