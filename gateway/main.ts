/** The gateway process: `node gateway/main.ts`. */
import { createLifecycle } from '../platform/lifecycle.ts'
import { createLogger } from '../platform/logger.ts'
import { runProcess } from '../platform/process.ts'
import { readGatewayConfig } from './config.ts'
import { startGateway } from './start.ts'

const usage = `Usage: node gateway/main.ts [--check-config]

Takes decisions over HTTP and writes them to the log; serves the reads.
The environment configures it; docs/configuration.md lists every variable.

  --check-config  print the settings it would run with, without the secrets, and end
`
const options = { usage, argumentsExpected: [], readConfig: readGatewayConfig }

await runProcess(options, async (config) => {
  const logger = createLogger({ level: config.LOG_LEVEL, process: 'gateway' })
  const lifecycle = createLifecycle({ logger, deadlineMs: config.SHUTDOWN_DEADLINE_MS })
  return { lifecycle, logger, start: () => startGateway({ config, logger, lifecycle }) }
})
