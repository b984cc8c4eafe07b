/** Runs a `sluice` command in the test process, including option parsing. */
import { Command } from 'commander'
import type { CommandContext } from '../../cli/command-context.ts'

type CommandResult = {
  output: string
  code: number
}

type CommandRun = { args: readonly string[]; environment: NodeJS.ProcessEnv }

const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * Runs a command.
 * @throws the error that `sluice` would print
 */
export async function runCommand(
  add: (program: Command, context: CommandContext) => void,
  { args, environment }: CommandRun
): Promise<CommandResult> {
  const lines: string[] = []
  const write = (line: string): void => void lines.push(line)
  const program = new Command('sluice').exitOverride()
  add(program, { environment, write, logProgress: () => {} })
  const before = signals.map((signal) => process.listeners(signal))
  const codeBefore = process.exitCode
  try {
    await program.parseAsync([...args], { from: 'user' })
    return { output: lines.join('\n'), code: Number(process.exitCode ?? 0) }
  } finally {
    process.exitCode = codeBefore
    for (const [index, signal] of signals.entries()) {
      const added = process.listeners(signal).filter((each) => !before[index]?.includes(each))
      for (const listener of added) process.off(signal, listener)
    }
  }
}
