/** Drops the broker's responses to written records and closes the connection. */
import { waitUntil } from '../../support/wait-until.ts'
import type { Fault, Scene } from '../fault.ts'

const lostMax = 3
const between = 20
/** Interval, in rounds, at which all responses are dropped until the gateway reports a timeout. */
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

/**
 * Drops `count` responses. They are so few that a retry succeeds before the gateway's deadline and
 * callers get no error.
 */
async function lose({ proxy }: Scene, count: number): Promise<void> {
  if (proxy === null) throw new Error('this fault needs a proxy')
  const lost = proxy.swallowed() + count
  proxy.swallowProduceResponses(count)
  await waitUntil('the responses are lost', () => proxy.swallowed() >= lost)
}

async function loseAll({ proxy, ledger, settings }: Scene): Promise<void> {
  if (proxy === null) throw new Error('this fault needs a proxy')
  const before = ledger.unknown()
  proxy.swallowProduceResponses(Infinity)
  const patienceMs = 3 * settings.deadlineMs + 10_000
  await waitUntil('callers get an error', () => ledger.unknown() > before, patienceMs)
  proxy.swallowProduceResponses(0)
}
