/** Defines `sluice erase` and its options. Loads the code of the command only when it runs. */
import type { Command } from 'commander'
import type { EraseOptions } from '../erasure/erasure-request.ts'
import { parseName } from '../parse-option.ts'
import type { CommandContext } from '../command-context.ts'
import { argument } from './argument.ts'

export function addErase(program: Command, { environment, write }: CommandContext): void {
  program
    .command('erase')
    .description('permanently delete decisions and everything derived from them')
    .option('--organization <id>', 'id or name of the organization')
    .option('--decision <id>', 'this decision, even if it is not stored yet')
    .option('--session <id>', 'all decisions of this session received so far')
    .option('--agent <id>', 'all decisions of this agent received so far')
    .option('--everything', 'all decisions of the organization received so far')
    .option(
      '--execute',
      'erase the decisions; requires --reason and --by (default: dry run that counts them)'
    )
    .option('--reason <text>', 'reason, recorded with the erasure')
    .option('--by <name>', 'name of the requester, recorded with the erasure', argument(parseName))
    .option('--resume', 'finish interrupted erasures')
    .option('--list', 'list the recorded erasures')
    .option(
      '--repeat <file>',
      'after a restore, repeat the erasures in this file (the output of --list --json)'
    )
    .option('--json', 'print JSON, one object or array per line')
    .action(async (options: EraseOptions) => {
      const { erase } = await import('../commands/erase.ts')
      await erase(environment, options, write)
    })
}
