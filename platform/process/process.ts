/** The outer edge of a process: arguments, environment, signals, and the one exit code. */
import { ConfigError, settings } from '../config/config.ts'
import type { Environment } from '../config/config.ts'
import { cautionsOf } from '../config/config-rules.ts'
import { typosOf } from '../config/config-typos.ts'
import { describeConfig } from '../config/describe-config.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { Logger } from '../telemetry/logger.ts'

export interface ProcessOptions<C extends object> {
  readonly usage: string
  /** The one argument must be among these; empty when the process takes none. */
  readonly argumentsExpected: readonly string[]
  /** @throws {ConfigError} */
  readonly readConfig: (environment: Environment) => C
}

export interface Runnable {
  readonly lifecycle: Lifecycle
  readonly logger: Logger
  start(): Promise<void>
  /** Resolves when something other than a signal or an error ends the process. */
  readonly ending?: Promise<{ readonly reason: string; readonly exitCode: number }>
  /** False when another process hears them for this one; then `ending` tells. */
  readonly hearsSignals?: boolean
}

const exitUsage = 2
const exitConfig = 78
/** After the ordered stop; what still keeps the process alive then is given up. */
const exitGraceMs = 1000
const checkFlag = '--check-config'

/**
 * Starts what `create` makes and stops it on SIGTERM or SIGINT.
 * An error nobody expected stops it in order too, with exit code 1: a supervisor starts it anew.
 * With `--check-config` it only prints what it would run with.
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
  if (more.length > 0 || !isTaken(options.argumentsExpected, argument, isCheck)) {
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

/** To check the configuration nobody has to say which of the process' parts to start. */
function isTaken(expected: readonly string[], argument: string, isCheck: boolean): boolean {
  if (argument === '') return expected.length === 0 || isCheck
  return expected.includes(argument)
}

/** What is wrong goes to stderr whole. */
function readConfigOrEnd<C extends object>({ readConfig }: ProcessOptions<C>): C | null {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    // A typo is often why something is not set.
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
  const { lifecycle, logger, start, ending, hearsSignals = true } = runnable
  async function end(reason: string, exitCode: number): Promise<void> {
    process.exitCode = exitCode
    await lifecycle.stop(reason)
    setTimeout(() => process.exit(), exitGraceMs).unref()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // A terminal signals the whole group, so it has to be caught either way.
    process.on(signal, () => (hearsSignals ? void end(signal, 0) : undefined))
  }
  void ending?.then(({ reason, exitCode }) => end(reason, exitCode))
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
