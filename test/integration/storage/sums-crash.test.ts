/** Tests that the sums match the rows when storage is repeatedly killed. */
import { expect, test } from '@jest/globals'
import { createRandom } from '../../faults/random.ts'
import { aDecision, anEvaluation, aRun, aScore } from '../../support/builders.ts'
import { findSumDifferences } from '../../support/find-sum-differences.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { createScene } from './scene.ts'

const rounds = 3
const decisionsARound = 300
/** A short timeout, so that the next process soon gets the partitions of the killed one. */
const settings = { CONSUMER_SESSION_TIMEOUT_MS: '6000' }

test.each([1, 2])(
  'keeps the sums exact when killed at any moment: seed %d',
  async (seed) => {
    const random = createRandom(seed)
    const scene = await createScene()
    const { database } = scene.sluice
    const { organization_id } = await scene.sluice.createTenant()
    for (let round = 0; round < rounds; round++) {
      const decisions = Array.from({ length: decisionsARound }, () => {
        const agent_id = `agent-${random.below(5)}`
        const received_at = Date.now() - random.below(5) * 3_600_000
        return aDecision({ organization_id, agent_id, received_at })
      })
      const evaluations = decisions.map((decision) => {
        const scores = [aScore({ value: random.next(), passed: random.chance(0.7) })]
        const { decision_id, agent_id, received_at } = decision
        const own = { organization_id, decision_id, agent_id, received_at }
        return anEvaluation({ ...own, later_runs: [aRun({ scores })] })
      })
      const storage = await scene.sluice.start('storage', settings)
      const before = await scene.countOf('evaluations', organization_id)
      // Sends some records twice, as in a redelivery.
      await scene.sendDecisions(...decisions, ...decisions.slice(0, 20))
      await scene.sendEvaluations(...evaluations, ...evaluations.slice(0, 20))
      const table = random.chance(0.5) ? 'decisions' : 'evaluations'
      const enough = random.below(before + decisionsARound)
      await waitUntil('it is in the middle of the batch', async () => {
        return (await scene.countOf(table, organization_id)) >= enough
      })
      await storage.kill()
      expect(await findSumDifferences(database)).toEqual([])
    }
    await scene.sluice.start('storage', settings)
    await scene.settled()
    expect(await scene.countOf('decisions', organization_id)).toBe(rounds * decisionsARound)
    expect(await scene.countOf('evaluations', organization_id)).toBe(rounds * decisionsARound)
    expect(await findSumDifferences(database)).toEqual([])
  },
  180_000
)
