/** Gives tests the addresses of the stack, and lets them suspend, kill and restart its services. */
import { readFileSync } from 'node:fs'
import type { ServiceName } from '../../stack/services.ts'
import { onEnd } from './cleanup.ts'
import { createKafkaProxy } from './kafka-proxy.ts'
import type { KafkaProxy } from './kafka-proxy.ts'
import { servicesVariable } from './test-services.ts'
import type { TestServices } from './test-services.ts'
import { waitUntil } from './wait-until.ts'

const proxyTurnMs = 120_000

let known: TestServices | undefined

export function services(): TestServices {
  const path = process.env[servicesVariable]
  if (path === undefined) {
    throw new Error(
      'This test needs the local stack of npm test: run "npm test -- contract", "npm test ' +
        '-- integration", "npm test -- e2e" or "npm test -- test/<path of one file>".'
    )
  }
  known ??= JSON.parse(readFileSync(path, 'utf8')) as TestServices
  return known
}

/** Checks whether the broker has a listener for the proxy. An external stack has none. */
export function hasKafkaProxy(): boolean {
  return services().proxyPort !== null
}

/**
 * Starts the proxy in front of the broker. Only one can run at a time, because the broker
 * advertises the proxy's port. Other test files wait until the port is free.
 */
export async function startKafkaProxy(): Promise<KafkaProxy> {
  const { addresses, proxyPort: port } = services()
  const target = addresses.kafkaProxyTarget
  if (target === undefined || port === null) {
    throw new Error('This stack has no proxy listener. Run the test on the native or Docker stack.')
  }
  const proxy = await waitUntil(
    `port ${port} of the proxy to be free`,
    async () => await createKafkaProxy({ port, target }),
    proxyTurnMs
  )
  onEnd(proxy.close)
  return proxy
}

/** Suspends a service, and resumes it after the test file. */
export async function pauseService(name: ServiceName): Promise<void> {
  onEnd(async () => await resumeService(name))
  await control(name, 'pause')
}

export async function resumeService(name: ServiceName): Promise<void> {
  await control(name, 'resume')
}

/** Kills a service with SIGKILL, and restarts it after the test file. */
export async function killService(name: ServiceName): Promise<void> {
  onEnd(async () => await reviveService(name))
  await control(name, 'kill')
}

/** Restarts a service and waits until it is ready. Does nothing if it is running. */
export async function reviveService(name: ServiceName): Promise<void> {
  await control(name, 'revive')
}

async function control(
  name: ServiceName,
  verb: 'pause' | 'resume' | 'kill' | 'revive'
): Promise<void> {
  const answer = await fetch(`${services().controlUrl}/${name}/${verb}`, { method: 'POST' })
  if (!answer.ok) throw new Error(`the runner failed to ${verb} ${name}: ${await answer.text()}`)
}
