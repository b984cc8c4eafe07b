/** `sluice erase` and its options; the code of the command is loaded only when it runs. */
import type { Command } from 'commander'
import type { EraseOptions } from '../erasure/erasure-request.ts'
import { parseName } from '../parse-option.ts'
import type { Surroundings } from '../surroundings.ts'
import { argument } from './argument.ts'

export function addErase(program: Command, { environment, write }: Surroundings): void {
  program
    .command('erase')
    .description('delete decisions for good, with all that was made of them; counts them first')
    .option('--organization <id>', 'id of the organization, or its name')
    .option('--decision <id>', 'this decision, whether it is stored or still on its way')
    .option('--session <id>', 'every decision of this session received until now')
    .option('--agent <id>', 'every decision of this agent received until now')
    .option('--everything', 'every decision of the organization received until now')
    .option('--execute', 'do it; without it the command only counts')
    .option('--reason <text>', 'why, for the record')
    .option('--by <name>', 'who asked for it, for the record', argument(parseName))
    .option('--resume', 'go on with what was not finished')
    .option('--list', 'show the record of what was erased')
    .option('--repeat <file>', 'do again what --list --json said before a restore')
    .option('--json', 'print JSON, one object or array a line')
    .action(async (options: EraseOptions) => {
      const { erase } = await import('../commands/erase.ts')
      await erase(environment, options, write)
    })
}
