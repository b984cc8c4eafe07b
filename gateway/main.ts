/** Starts the gateway: `node gateway/main.ts`. If GATEWAY_WORKERS is greater than 1, starts a
 * primary and its workers.
 */
import { setUpHeap } from '../platform/process/heap.ts'
import { createLifecycle } from '../platform/process/lifecycle.ts'
import { createLogger } from '../platform/telemetry/logger.ts'
import { runProcess } from '../platform/process/process.ts'
import type { Runnable } from '../platform/process/process.ts'
import { createPrimary } from './cluster/primary.ts'
import { connectToPrimary } from './cluster/primary-link.ts'
import type { PrimaryLink } from './cluster/primary-link.ts'
import { workerDeadlineMs } from './cluster/worker-deadline-ms.ts'
import { readGatewayConfig } from './config.ts'
import type { GatewayConfig } from './config.ts'

const usage = `Usage: node gateway/main.ts [--check-config]

Accepts decisions over HTTP, writes them to Kafka, and serves the API.
Environment variables configure it; docs/reference/settings.md lists them.

  --check-config  print the settings without secrets, and exit
`
const options = { usage, argumentsExpected: [], readConfig: readGatewayConfig }

function single(config: GatewayConfig): Runnable {
  const logger = createLogger({ level: config.LOG_LEVEL, process: 'gateway' })
  const lifecycle = createLifecycle({ logger, deadlineMs: config.SHUTDOWN_DEADLINE_MS })
  const context = { config, logger, lifecycle, link: null }
  return { lifecycle, logger, start: async () => (await loadStart())(context) }
}

function primary(config: GatewayConfig): Runnable {
  const logger = createLogger({ level: config.LOG_LEVEL, process: 'gateway' })
  const lifecycle = createLifecycle({ logger, deadlineMs: config.SHUTDOWN_DEADLINE_MS })
  const { failed, start } = createPrimary({ config, logger, lifecycle })
  const ending = failed.then((exitCode) => ({ reason: 'no worker could start', exitCode }))
  return { lifecycle, logger, start, ending }
}

function worker(config: GatewayConfig, link: PrimaryLink): Runnable {
  const level = config.LOG_LEVEL
  const logger = createLogger({ level, process: 'gateway', worker: process.pid })
  const lifecycle = createLifecycle({ logger, deadlineMs: workerDeadlineMs(config) })
  lifecycle.onStop('connection to the primary', () => link.close())
  const context = { config, logger, lifecycle, link }
  const ending = link.stopRequested.then((reason) => ({ reason, exitCode: 0 }))
  const start = async (): Promise<void> => (await loadStart())(context)
  return { lifecycle, logger, start, ending, handlesSignals: false }
}

/** Loads the code on demand, because a primary does not need it and stays small without it. */
async function loadStart() {
  return (await import('./start.ts')).startGateway
}

setUpHeap()
await runProcess(options, async (config) => {
  const link = connectToPrimary()
  if (link !== null) return worker(config, link)
  return config.GATEWAY_WORKERS > 1 ? primary(config) : single(config)
})
