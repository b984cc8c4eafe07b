/** `sluice sizing` and its options. */
import type { Command } from 'commander'
import { sizing } from '../commands/sizing.ts'
import type { SizingOptions } from '../commands/sizing.ts'
import { parseCopies, parseCount } from '../parse-option.ts'
import type { Surroundings } from '../surroundings.ts'
import { argument } from './argument.ts'

const count = argument(parseCount)

export function addSizing(program: Command, { write }: Surroundings): void {
  program
    .command('sizing')
    .description('how much hardware so many decisions need, by what one was measured to cost')
    .requiredOption('--rate <n>', 'decisions in a second, on average', count)
    .option('--peak <n>', 'of the busiest second, as times of the average', count, 3)
    .option('--size <bytes>', 'of a decision as it is sent', count, 1200)
    .option('--batch <n>', 'decisions in a request', count, 1)
    .option('--retention-days <n>', 'days that Postgres keeps decisions', count, 30)
    .option('--topic-days <n>', 'days that the topics keep them', count, 7)
    .option('--copies <n>', 'copies of each partition', argument(parseCopies), 3)
    .option('--no-evaluation', 'without the evaluation group')
    .option('--json', 'print one JSON object')
    .action((options: SizingOptions) => sizing(options, write))
}
