/** Defines `sluice rewind` and its options. Loads the code of the command only when it runs. */
import type { Command } from 'commander'
import type { RewindOptions } from '../commands/rewind.ts'
import type { CommandContext } from '../command-context.ts'

const exitLost = 1

export function addRewind(program: Command, { environment, write }: CommandContext): void {
  program
    .command('rewind')
    .description('reset consumer-group offsets to the positions in the restored database')
    .option('--execute', 'apply the changes (default: dry run)')
    .option('--json', 'print one JSON array')
    .action(async (options: RewindOptions) => {
      const { rewind } = await import('../commands/rewind.ts')
      if (!(await rewind(environment, options, write))) process.exitCode = exitLost
    })
}
