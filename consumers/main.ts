/** A consumer process: `node consumers/main.ts storage` or `… evaluation`. */
import { createLifecycle } from '../platform/lifecycle.ts'
import { createLogger } from '../platform/logger.ts'
import { runProcess } from '../platform/process.ts'
import { startEvaluation } from './evaluation/start.ts'
import { readConsumerConfig } from './config.ts'
import { startStorage } from './storage/start.ts'

const groups = { storage: startStorage, evaluation: startEvaluation }
const usage = `Usage: node consumers/main.ts <group>

Groups:
  storage     stores decisions and evaluations in Postgres
  evaluation  evaluates decisions and publishes the results

The environment configures it; docs/configuration.md lists every variable.
`

await runProcess({ usage, argumentsExpected: Object.keys(groups) }, async (environment, name) => {
  const config = readConsumerConfig(environment)
  const logger = createLogger({ level: config.LOG_LEVEL, process: name })
  const lifecycle = createLifecycle({ logger, deadlineMs: config.SHUTDOWN_DEADLINE_MS })
  return {
    lifecycle,
    logger,
    start: () => groups[name as keyof typeof groups]({ config, logger, lifecycle })
  }
})
