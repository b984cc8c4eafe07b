/** Runs `sluice`, the command-line interface for operators. */
import { CommanderError } from 'commander'
import { rootMessageOf } from '../core/root-message.ts'
import { ConfigError } from '../platform/config/config.ts'
import { runUntilSignal } from './run-until-signal.ts'
import { localEnvironment } from './local-environment.ts'
import { ignoreClosedPipe } from './output.ts'
import { createProgram } from './program/create-program.ts'

const exitFailure = 1
const exitUsage = 2
const exitConfig = 78

/** Prints the error and returns the exit code. Commander has already printed its own errors. */
function endWith(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitUsage
  process.stderr.write(`sluice: ${rootMessageOf(error)}\n`)
  return error instanceof ConfigError ? exitConfig : exitFailure
}

// PID 1 of a container ignores signals that have no handler.
if (process.pid === 1) runUntilSignal()
for (const stream of [process.stdout, process.stderr]) ignoreClosedPipe(stream)
const write = (line: string): void => void process.stdout.write(`${line}\n`)
const logProgress = (line: string): void => void process.stderr.write(`${line}\n`)
try {
  const environment = localEnvironment(process.env)
  await createProgram({ environment, write, logProgress }).parseAsync()
} catch (error) {
  process.exitCode = endWith(error)
}
