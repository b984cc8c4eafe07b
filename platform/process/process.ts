/** Process entry point: handles arguments, environment, signals and the exit code. */
import { ConfigError, settings } from '../config/config.ts'
import type { Environment } from '../config/config.ts'
import { cautionsOf } from '../config/config-rules.ts'
import { typosOf } from '../config/config-typos.ts'
import { describeConfig } from '../config/describe-config.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Logger } from '../telemetry/logger.ts'

interface ProcessOptions<C extends object> {
  readonly usage: string
  /** Allowed values of the single argument; empty if the process takes none. */
  readonly argumentsExpected: readonly string[]
  /** @throws {ConfigError} */
  readonly readConfig: (environment: Environment) => C
}

export interface Runnable {
  readonly lifecycle: Lifecycle
  readonly logger: Logger
  start(): Promise<void>
  /** Resolves when the process must end for a reason other than a signal or an error. */
  readonly ending?: Promise<{ readonly reason: string; readonly exitCode: number }>
  /** False if another process handles signals and ends this one through `ending`. */
  readonly handlesSignals?: boolean
}

const exitUsage = 2
const exitConfig = 78
/** Time from the end of shutdown to a forced exit, in case something keeps the process alive. */
const exitGraceMs = 1000
const checkFlag = '--check-config'

/**
 * Creates and starts the process, and stops it on SIGTERM or SIGINT. An unexpected error also stops
 * it, with exit code 1, so that a supervisor restarts the process. With `--check-config`, only
 * prints the configuration.
 */
export async function runProcess<C extends object>(
  options: ProcessOptions<C>,
  create: (config: C, argument: string) => Promise<Runnable>
): Promise<void> {
  const words = process.argv.slice(2)
  const [argument = '', ...more] = words.filter((word) => word !== checkFlag)
  if (argument === '--help' || argument === '-h') {
    process.stdout.write(options.usage)
    return
  }
  const isCheck = words.includes(checkFlag)
  if (more.length > 0 || !isAllowed(options.argumentsExpected, argument, isCheck)) {
    process.stderr.write(options.usage)
    process.exitCode = exitUsage
    return
  }
  const config = readConfigOrEnd(options)
  if (config === null) return
  const warnings = [...typosOf(process.env, Object.keys(settings)), ...cautionsOf(config)]
  if (isCheck) {
    process.stdout.write(linesOf(describeConfig(config)))
    process.stderr.write(linesOf(warnings))
    return
  }
  const runnable = await create(config, argument)
  for (const warning of warnings) runnable.logger.warn({}, warning)
  await supervise(runnable)
}

/** Checks the argument, which is optional with `--check-config`. */
function isAllowed(expected: readonly string[], argument: string, isCheck: boolean): boolean {
  if (argument === '') return expected.length === 0 || isCheck
  return expected.includes(argument)
}

/** Reads the configuration, or writes all errors to stderr and returns null. */
function readConfigOrEnd<C extends object>({ readConfig }: ProcessOptions<C>): C | null {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    // A misspelled name is a common reason for a missing setting.
    const typos = typosOf(process.env, Object.keys(settings))
    process.stderr.write(linesOf([error.message, ...typos]))
    process.exitCode = exitConfig
    return null
  }
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}

async function supervise(runnable: Runnable): Promise<void> {
  const { lifecycle, logger, start, ending, handlesSignals = true } = runnable
  async function end(reason: string, exitCode: number): Promise<void> {
    process.exitCode = exitCode
    await lifecycle.stop(reason)
    setTimeout(() => process.exit(), exitGraceMs).unref()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // A terminal signals the whole process group, so every process must catch the signal.
    process.on(signal, () => (handlesSignals ? void end(signal, 0) : undefined))
  }
  void ending?.then(({ reason, exitCode }) => end(reason, exitCode))
  process.on('uncaughtException', (error) => {
    logger.error({ error }, 'unexpected error')
    void end('unexpected error', 1)
  })
  try {
    await start()
  } catch (error) {
    logger.error({ error }, 'start failed')
    await end('start failed', 1)
  }
}
