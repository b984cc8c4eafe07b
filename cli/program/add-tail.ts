/** Defines `sluice tail` and its options. Loads the code of the command only when it runs. */
import type { Command } from 'commander'
import { systemClock } from '../../platform/process/clock.ts'
import type { TailOptions } from '../commands/tail.ts'
import { interruptSignal } from '../interrupt-signal.ts'
import { createOutput } from '../output.ts'
import { parseCount, parseMoment } from '../parse-option.ts'
import type { CommandContext } from '../command-context.ts'
import { argument } from './argument.ts'

const topics = 'decisions, evaluations, dead-letters, evaluation-dead-letters, or a topic name'

export function addTail(program: Command, { environment }: CommandContext): void {
  program
    .command('tail')
    .description('print the records of a topic as JSON lines, without joining a consumer group')
    .option('--topic <topic>', topics, 'decisions')
    .option('--follow', 'follow new records until Ctrl-C')
    .option(
      '--since <time>',
      'start at this time, or this duration ago, such as 1h',
      argument((text) => parseMoment(text, systemClock.now()))
    )
    .option('--from-beginning', 'start at the oldest record')
    .option(
      '--last <n>',
      'start n records before the end of each partition (default: 10)',
      argument(parseCount)
    )
    .option('--agent <id>', 'only records of this agent')
    .option('--session <id>', 'only records of this session')
    .option('--organization <id>', 'only records of this organization')
    .option('--decision <id>', 'only records of this decision')
    .option('--reason <reason>', 'only dead-letter records with this reason')
    .option('--limit <n>', 'stop after n lines', argument(parseCount))
    .option('--no-payload', 'omit input, output and metadata, and the runs of evaluations')
    .action(async (options: TailOptions) => {
      const { tail } = await import('../commands/tail.ts')
      const output = createOutput(process.stdout)
      await tail(environment, options, { output, signal: interruptSignal() })
    })
}
