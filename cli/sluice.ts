/** `sluice`: the command line of an operator. */
import { CommanderError } from 'commander'
import { rootMessageOf } from '../core/root-message.ts'
import { ConfigError } from '../platform/config/config.ts'
import { endWhenTold } from './end-when-told.ts'
import { localEnvironment } from './local-environment.ts'
import { outliveReader } from './output.ts'
import { createProgram } from './program/create-program.ts'

const exitFailure = 1
const exitUsage = 2
const exitConfig = 78

/** What commander throws it has told already, help included. */
function endWith(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitUsage
  process.stderr.write(`sluice: ${rootMessageOf(error)}\n`)
  return error instanceof ConfigError ? exitConfig : exitFailure
}

// The first process of a container is deaf to signals that it does not listen to.
if (process.pid === 1) endWhenTold()
for (const stream of [process.stdout, process.stderr]) outliveReader(stream)
const write = (line: string): void => void process.stdout.write(`${line}\n`)
const tell = (line: string): void => void process.stderr.write(`${line}\n`)
try {
  const environment = localEnvironment(process.env)
  await createProgram({ environment, write, tell }).parseAsync()
} catch (error) {
  process.exitCode = endWith(error)
}
