/** Defines `sluice sizing` and its options. */
import type { Command } from 'commander'
import { sizing } from '../commands/sizing.ts'
import type { SizingOptions } from '../commands/sizing.ts'
import { parseCopies, parseCount } from '../parse-option.ts'
import type { CommandContext } from '../command-context.ts'
import { argument } from './argument.ts'

const count = argument(parseCount)

export function addSizing(program: Command, { write }: CommandContext): void {
  program
    .command('sizing')
    .description('estimate the hardware required for a decision rate, based on measured costs')
    .requiredOption('--rate <n>', 'average decisions per second', count)
    .option('--peak <n>', 'decisions in the busiest second, as a multiple of the average', count, 3)
    .option('--size <bytes>', 'size of a decision as it is sent', count, 1200)
    .option('--batch <n>', 'decisions per request', count, 1)
    .option('--retention-days <n>', 'days that Postgres keeps decisions', count, 30)
    .option('--topic-days <n>', 'days that Kafka keeps records', count, 7)
    .option('--copies <n>', 'replicas of each partition', argument(parseCopies), 3)
    .option('--no-evaluation', 'leave out the evaluation group')
    .option('--json', 'print one JSON object')
    .action((options: SizingOptions) => sizing(options, write))
}
