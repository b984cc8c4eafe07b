/** Runs a `sluice` command in the test process: parses its options, but starts no process. */
import { Command } from 'commander'
import type { Surroundings } from '../../cli/surroundings.ts'

export type Ran = {
  /** The printed output. */
  said: string
  code: number
}

export type CommandRun = { args: readonly string[]; environment: NodeJS.ProcessEnv }

const signals = ['SIGINT', 'SIGTERM'] as const

/** @throws the error of the command, which `sluice` would print. */
export async function runCommand(
  add: (program: Command, surroundings: Surroundings) => void,
  { args, environment }: CommandRun
): Promise<Ran> {
  const lines: string[] = []
  const write = (line: string): void => void lines.push(line)
  const program = new Command('sluice').exitOverride()
  add(program, { environment, write, tell: () => {} })
  const before = signals.map((signal) => process.listeners(signal))
  const codeBefore = process.exitCode
  try {
    await program.parseAsync([...args], { from: 'user' })
    return { said: lines.join('\n'), code: Number(process.exitCode ?? 0) }
  } finally {
    process.exitCode = codeBefore
    for (const [index, signal] of signals.entries()) {
      const added = process.listeners(signal).filter((each) => !before[index]?.includes(each))
      for (const listener of added) process.off(signal, listener)
    }
  }
}
