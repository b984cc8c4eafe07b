/** The gateway process: `node gateway/main.ts`. With GATEWAY_WORKERS it becomes several. */
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

Takes decisions over HTTP and writes them to the log; serves the reads.
The environment configures it; docs/configuration.md lists every variable.

  --check-config  print the settings it would run with, without the secrets, and end
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
  const { hopeless, start } = createPrimary({ config, logger, lifecycle })
  const ending = hopeless.then((exitCode) => ({ reason: 'no worker can start', exitCode }))
  return { lifecycle, logger, start, ending }
}

function worker(config: GatewayConfig, link: PrimaryLink): Runnable {
  const level = config.LOG_LEVEL
  const logger = createLogger({ level, process: 'gateway', worker: process.pid })
  const lifecycle = createLifecycle({ logger, deadlineMs: workerDeadlineMs(config) })
  lifecycle.onStop('the line to the primary', () => link.close())
  const context = { config, logger, lifecycle, link }
  const ending = link.stopAsked.then((reason) => ({ reason, exitCode: 0 }))
  const start = async (): Promise<void> => (await loadStart())(context)
  return { lifecycle, logger, start, ending, hearsSignals: false }
}

/** A primary never needs it, and stays small. */
async function loadStart() {
  return (await import('./start.ts')).startGateway
}

setUpHeap()
await runProcess(options, async (config) => {
  const link = connectToPrimary()
  if (link !== null) return worker(config, link)
  return config.GATEWAY_WORKERS > 1 ? primary(config) : single(config)
})
