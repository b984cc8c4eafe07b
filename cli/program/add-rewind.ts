/** `sluice rewind` and its options; the code of the command is loaded only when it runs. */
import type { Command } from 'commander'
import type { RewindOptions } from '../commands/rewind.ts'
import type { Surroundings } from '../surroundings.ts'

const exitLost = 1

export function addRewind(program: Command, { environment, write }: Surroundings): void {
  program
    .command('rewind')
    .description('after the database was restored, set the groups back to what it knows')
    .option('--execute', 'do it; without it the command only tells')
    .option('--json', 'print one JSON array')
    .action(async (options: RewindOptions) => {
      const { rewind } = await import('../commands/rewind.ts')
      if (!(await rewind(environment, options, write))) process.exitCode = exitLost
    })
}
