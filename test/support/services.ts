/** Where the local stack of this test run is, and how to freeze or end parts of it. */
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
      'This test needs the local stack, which npm test starts: ' +
        'run "npm test -- contract", "npm test -- integration", "npm test -- e2e" ' +
        'or "npm test -- test/<path of one file>".'
    )
  }
  known ??= JSON.parse(readFileSync(path, 'utf8')) as TestServices
  return known
}

/** Whether the stack has a listener for the proxy; an external one has none. */
export function hasKafkaProxy(): boolean {
  return services().proxyPort !== null
}

/**
 * The proxy before the broker. Its port is advertised by the broker, so there can be one at a time:
 * a second test file waits here until the first has closed its own.
 */
export async function startKafkaProxy(): Promise<KafkaProxy> {
  const { addresses, proxyPort: port } = services()
  const target = addresses.kafkaProxyTarget
  if (target === undefined || port === null) {
    throw new Error('This stack has no proxy listener: run the test on the native or Docker stack.')
  }
  const proxy = await waitUntil(
    `the port ${port} of the proxy is free`,
    async () => await createKafkaProxy({ port, target }),
    proxyTurnMs
  )
  onEnd(proxy.close)
  return proxy
}

/** Freezes a service of the stack, as a stuck machine would be; it thaws when the file ends. */
export async function pauseService(name: ServiceName): Promise<void> {
  onEnd(async () => await resumeService(name))
  await control(name, 'pause')
}

export async function resumeService(name: ServiceName): Promise<void> {
  await control(name, 'resume')
}

/** Ends a service of the stack with SIGKILL; it is started again when the file ends. */
export async function killService(name: ServiceName): Promise<void> {
  onEnd(async () => await reviveService(name))
  await control(name, 'kill')
}

/** Resolves once the service answers again; does nothing while it runs. */
export async function reviveService(name: ServiceName): Promise<void> {
  await control(name, 'revive')
}

async function control(
  name: ServiceName,
  verb: 'pause' | 'resume' | 'kill' | 'revive'
): Promise<void> {
  const answer = await fetch(`${services().controlUrl}/${name}/${verb}`, { method: 'POST' })
  if (!answer.ok) throw new Error(`the runner could not ${verb} ${name}: ${await answer.text()}`)
}
