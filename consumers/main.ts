/** Starts a consumer process: `node consumers/main.ts storage` or `node consumers/main.ts
 * evaluation`.
 */
import { setUpHeap } from '../platform/process/heap.ts'
import { createLifecycle } from '../platform/process/lifecycle.ts'
import { createLogger } from '../platform/telemetry/logger.ts'
import { runProcess } from '../platform/process/process.ts'
import { startEvaluation } from './evaluation/start.ts'
import { readConsumerConfig } from './config.ts'
import { startStorage } from './storage/start.ts'

const groups = { storage: startStorage, evaluation: startEvaluation }
const usage = `Usage: node consumers/main.ts <group> [--check-config]

Groups:
  storage     stores decisions and evaluations in Postgres
  evaluation  evaluates decisions and publishes the results

Settings are environment variables; docs/reference/settings.md lists them.

  --check-config  print the settings without secrets, and exit
`
const options = {
  usage,
  argumentsExpected: Object.keys(groups),
  readConfig: readConsumerConfig
}

setUpHeap()
await runProcess(options, async (config, name) => {
  const logger = createLogger({ level: config.LOG_LEVEL, process: name })
  const lifecycle = createLifecycle({ logger, deadlineMs: config.SHUTDOWN_DEADLINE_MS })
  return {
    lifecycle,
    logger,
    start: () => groups[name as keyof typeof groups]({ config, logger, lifecycle })
  }
})
