/** The outer edge of a process: arguments, environment, signals, and the one exit code. */
import { ConfigError } from './config.ts'
import type { Environment } from './config.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Logger } from './logger.ts'

export interface ProcessOptions {
  readonly usage: string
  /** The one argument must be among these; empty when the process takes none. */
  readonly argumentsExpected: readonly string[]
}

export interface Runnable {
  readonly lifecycle: Lifecycle
  readonly logger: Logger
  start(): Promise<void>
}

const exitUsage = 2
const exitConfig = 78
/** After the ordered stop; what still keeps the process alive then is given up. */
const exitGraceMs = 1000

/**
 * Starts what `create` makes and stops it on SIGTERM or SIGINT.
 * An error nobody expected stops it in order too, with exit code 1: a supervisor starts it anew.
 */
export async function runProcess(
  options: ProcessOptions,
  create: (environment: Environment, argument: string) => Promise<Runnable>
): Promise<void> {
  const argument = process.argv[2] ?? ''
  if (argument === '--help' || argument === '-h') {
    process.stdout.write(options.usage)
    return
  }
  if (options.argumentsExpected.length > 0 && !options.argumentsExpected.includes(argument)) {
    process.stderr.write(options.usage)
    process.exitCode = exitUsage
    return
  }
  try {
    await supervise(await create(process.env, argument))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = exitConfig
  }
}

async function supervise({ lifecycle, logger, start }: Runnable): Promise<void> {
  async function end(reason: string, exitCode: number): Promise<void> {
    process.exitCode = exitCode
    await lifecycle.stop(reason)
    setTimeout(() => process.exit(), exitGraceMs).unref()
  }
  process.on('SIGTERM', () => void end('SIGTERM', 0))
  process.on('SIGINT', () => void end('SIGINT', 0))
  process.on('uncaughtException', (error) => {
    logger.error({ error }, 'an error nobody expected')
    void end('an unexpected error', 1)
  })
  try {
    await start()
  } catch (error) {
    logger.error({ error }, 'could not start')
    await end('the start failed', 1)
  }
}
