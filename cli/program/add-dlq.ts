/** Defines `sluice dlq` and its commands. Loads the code of a command only when it runs. */
import { userInfo } from 'node:os'
import { Option } from 'commander'
import type { Command } from 'commander'
import { systemClock } from '../../platform/process/clock.ts'
import type { DropDeadLettersOptions } from '../commands/drop-dead-letters.ts'
import type { ListDeadLettersOptions } from '../commands/list-dead-letters.ts'
import type { ReplayDeadLettersOptions } from '../commands/replay-dead-letters.ts'
import type { ShowDeadLetterOptions } from '../commands/show-dead-letter.ts'
import { interruptSignal } from '../interrupt-signal.ts'
import { createOutput } from '../output.ts'
import {
  parseRecordPosition,
  parseMoment,
  parseName,
  parsePartitionOrOffset
} from '../parse-option.ts'
import type { CommandContext } from '../command-context.ts'
import { argument } from './argument.ts'

export function addDlq(program: Command, context: CommandContext): void {
  const dlq = program.command('dlq').description('list, show, replay and drop dead-letter records')
  const { environment, write } = context

  filtered(dlq.command('list'))
    .description('group dead-letter records by reason, step and consumer group, and count them')
    .addOption(topicOption())
    .option('--all', 'include records that were replayed or dropped')
    .option('--json', 'print one JSON array')
    .action(async (options: ListDeadLettersOptions) => {
      const { listDeadLetters } = await import('../commands/list-dead-letters.ts')
      await listDeadLetters(environment, options, write)
    })

  dlq
    .command('show')
    .description('print one dead-letter record in full')
    .argument('<position>', 'partition and offset in the dead-letter topic, such as 3/17')
    .addOption(topicOption().default('decisions'))
    .option('--raw', 'write only the bytes of the value')
    .option('--json', 'print one JSON object')
    .action(async (position: string, options: ShowDeadLetterOptions) => {
      const { showDeadLetter } = await import('../commands/show-dead-letter.ts')
      const request = { ...parseRecordPosition(position), options }
      await showDeadLetter(environment, request, createOutput(process.stdout))
    })

  addDlqEnds(dlq, context)
}

function addDlqEnds(dlq: Command, { environment, write, logProgress }: CommandContext): void {
  changing(filtered(dlq.command('replay')))
    .description('write dead-letter records back to their original topic')
    .action(async (options: ReplayDeadLettersOptions) => {
      const { replayDeadLetters } = await import('../commands/replay-dead-letters.ts')
      await replayDeadLetters(environment, options, {
        write,
        logProgress,
        signal: interruptSignal()
      })
    })

  changing(filtered(dlq.command('drop')))
    .description('mark dead-letter records as dropped, to exclude them from list and replay')
    .action(async (options: DropDeadLettersOptions) => {
      const { dropDeadLetters } = await import('../commands/drop-dead-letters.ts')
      await dropDeadLetters(environment, options, { write, logProgress, signal: interruptSignal() })
    })
}

function topicOption(): Option {
  return new Option('--topic <topic>', 'original topic of the dead-letter records').choices([
    'decisions',
    'evaluations'
  ])
}

function filtered(command: Command): Command {
  const moment = argument((text) => parseMoment(text, systemClock.now()))
  return command
    .option('--reason <reason>', 'only records with this reason')
    .option('--group <id>', 'only records written by this consumer group')
    .option(
      '--since <time>',
      'only records written since this time, or within this duration, such as 1h',
      moment
    )
    .option('--until <time>', 'only records written before this time', moment)
    .option(
      '--partition <n>',
      'only this partition of the dead-letter topic',
      argument(parsePartitionOrOffset)
    )
    .option('--offset <n>', 'only this offset', argument(parsePartitionOrOffset))
}

function changing(command: Command): Command {
  return command
    .addOption(topicOption().default('decisions'))
    .option('--execute', 'apply the changes (default: dry run)')
    .addOption(
      new Option('--by <name>', 'name recorded with the change')
        .argParser(argument(parseName))
        .default(loginName(), 'your login name')
    )
    .option('--json', 'print one JSON object')
}

/** Returns the login name, or a placeholder in a container without one. */
function loginName(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}
