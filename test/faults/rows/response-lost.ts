/** The broker writes, and its word never arrives: the answer is dropped, the connection is cut. */
import { waitUntil } from '../../support/wait-until.ts'
import type { Fault, Scene } from '../fault.ts'

const lostMax = 3
const between = 20
/** In one round of so many every answer is lost, until the gateway gives up and says so. */
const hopelessEvery = 40

export const responseLost: Fault = {
  done: ({ rounds }) =>
    `the broker's answer dropped and the connection cut, ${rounds} times, ` +
    `${Math.ceil(rounds / hopelessEvery)} of them until the deadline`,
  allows: ['log_unavailable', 'overloaded'],
  shows: ['log_unavailable'],
  throughProxy: true,
  inject: async (scene) => {
    for (let round = 0; round < scene.settings.rounds; round += 1) {
      if (round % hopelessEvery === 0) await loseAll(scene)
      else await lose(scene, 1 + (round % lostMax))
      await scene.acknowledgeMore(between)
    }
  }
}

/** Fewer than the gateway tries again: its callers hear nothing of it. */
async function lose({ proxy }: Scene, count: number): Promise<void> {
  if (proxy === null) throw new Error('this fault needs the proxy')
  const lost = proxy.swallowed() + count
  proxy.swallowProduceResponses(count)
  await waitUntil('the answers are lost', () => proxy.swallowed() >= lost)
}

async function loseAll({ proxy, ledger, settings }: Scene): Promise<void> {
  if (proxy === null) throw new Error('this fault needs the proxy')
  const before = ledger.unknown()
  proxy.swallowProduceResponses(Infinity)
  const patienceMs = 3 * settings.deadlineMs + 10_000
  await waitUntil('callers are told', () => ledger.unknown() > before, patienceMs)
  proxy.swallowProduceResponses(0)
}
