/** `sluice tail` and its options; the code of the command is loaded only when it runs. */
import type { Command } from 'commander'
import { systemClock } from '../../platform/process/clock.ts'
import type { TailOptions } from '../commands/tail.ts'
import { interrupted } from '../interrupted.ts'
import { createOutput } from '../output.ts'
import { parseCount, parseMoment } from '../parse-option.ts'
import type { Surroundings } from '../surroundings.ts'
import { argument } from './argument.ts'

const topics = 'decisions, evaluations, dead-letters, evaluation-dead-letters, or a name'

export function addTail(program: Command, { environment }: Surroundings): void {
  program
    .command('tail')
    .description('print the records of a topic as lines of JSON, without joining a group')
    .option('--topic <topic>', topics, 'decisions')
    .option('--follow', 'go on with what comes, until Ctrl-C')
    .option(
      '--since <time>',
      'begin so long ago, such as 1h, or at that time',
      argument((text) => parseMoment(text, systemClock.now()))
    )
    .option('--from-beginning', 'begin with the oldest there is')
    .option(
      '--last <n>',
      'begin so many records before the end of each partition; 10 unless you say',
      argument(parseCount)
    )
    .option('--agent <id>', 'only of this agent')
    .option('--session <id>', 'only of this session')
    .option('--organization <id>', 'only of this organization')
    .option('--decision <id>', 'only of this decision')
    .option('--reason <reason>', 'only dead letters with this reason')
    .option('--limit <n>', 'end after so many lines', argument(parseCount))
    .option('--no-payload', 'leave out input, output and metadata, and the runs of evaluations')
    .action(async (options: TailOptions) => {
      const { tail } = await import('../commands/tail.ts')
      const output = createOutput(process.stdout)
      await tail(environment, options, { output, signal: interrupted() })
    })
}
