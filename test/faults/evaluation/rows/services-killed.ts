/** Kills and restarts Postgres, Kafka and storage during judge calls. */
import { killService, reviveService } from '../../../support/services.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import type { EvaluationFault, EvaluationScene } from '../fault.ts'

const reviveMs = 90_000
const services = ['postgres', 'kafka'] as const

export const servicesKilled: EvaluationFault = {
  done: ({ seconds }) =>
    `Postgres, then Kafka killed, stopped for ${seconds / 4} s and started again with their ` +
    'disks; then SIGKILL to storage, and started again',
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
  // Retry, because child processes of the killed server can briefly prevent a restart.
  const revive = () => reviveService(service).then(() => true)
  await waitUntil(`${service} runs again`, revive, reviveMs)
  await recover()
}
