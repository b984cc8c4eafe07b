/** Postgres and Kafka die and come back, and so does storage, while judges are asked. */
import { killService, reviveService } from '../../../support/services.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import type { EvaluationFault, EvaluationScene } from '../fault.ts'

const reviveMs = 90_000
const services = ['postgres', 'kafka'] as const

export const servicesAway: EvaluationFault = {
  done: ({ seconds }) =>
    `Postgres, then Kafka killed, away for ${seconds / 4} s and started again with their disks; ` +
    'then SIGKILL to storage, and started again',
  inject: async (scene) => {
    for (const service of services) await takeAway(scene, service)
    const { storage, recover } = scene
    await storage.kill(storage.all)
    await storage.start(1)
    await recover()
    return services.length + 1
  }
}

async function takeAway(
  { last, recover }: EvaluationScene,
  service: (typeof services)[number]
): Promise<void> {
  await killService(service)
  await last(1 / 4)
  // Its own processes may outlive it for a moment, and it does not start beside them.
  const revive = () => reviveService(service).then(() => true)
  await waitUntil(`${service} is back`, revive, reviveMs)
  await recover()
}
