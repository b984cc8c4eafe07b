/** `sluice dlq` and its commands; the code of a command is loaded only when it runs. */
import { userInfo } from 'node:os'
import { Option } from 'commander'
import type { Command } from 'commander'
import { systemClock } from '../../platform/process/clock.ts'
import type { DropLettersOptions } from '../commands/drop-letters.ts'
import type { ListLettersOptions } from '../commands/list-letters.ts'
import type { ReplayLettersOptions } from '../commands/replay-letters.ts'
import type { ShowLetterOptions } from '../commands/show-letter.ts'
import { interrupted } from '../interrupted.ts'
import { createOutput } from '../output.ts'
import { parseLetterPlace, parseMoment, parseName, parsePlace } from '../parse-option.ts'
import type { Surroundings } from '../surroundings.ts'
import { argument } from './argument.ts'

export function addDlq(program: Command, surroundings: Surroundings): void {
  const dlq = program.command('dlq').description('dead letters: list, show, replay, drop')
  const { environment, write } = surroundings

  filtered(dlq.command('list'))
    .description('count the dead letters that are alike')
    .addOption(topicOption())
    .option('--all', 'those as well that were replayed or dropped')
    .option('--json', 'print one JSON array')
    .action(async (options: ListLettersOptions) => {
      const { listLetters } = await import('../commands/list-letters.ts')
      await listLetters(environment, options, write)
    })

  dlq
    .command('show')
    .description('print one dead letter whole')
    .argument('<place>', 'its partition and offset in the dead-letter topic, such as 3/17')
    .addOption(topicOption().default('decisions'))
    .option('--raw', 'write the bytes of its value, and nothing else')
    .option('--json', 'print one JSON object')
    .action(async (place: string, options: ShowLetterOptions) => {
      const { showLetter } = await import('../commands/show-letter.ts')
      const request = { ...parseLetterPlace(place), options }
      await showLetter(environment, request, createOutput(process.stdout))
    })

  addDlqEnds(dlq, surroundings)
}

function addDlqEnds(dlq: Command, { environment, write, tell }: Surroundings): void {
  changing(filtered(dlq.command('replay')))
    .description('write dead letters back to the topic they came from')
    .action(async (options: ReplayLettersOptions) => {
      const { replayLetters } = await import('../commands/replay-letters.ts')
      await replayLetters(environment, options, { write, tell, signal: interrupted() })
    })

  changing(filtered(dlq.command('drop')))
    .description('note dead letters as dealt with')
    .action(async (options: DropLettersOptions) => {
      const { dropLetters } = await import('../commands/drop-letters.ts')
      await dropLetters(environment, options, { write, tell, signal: interrupted() })
    })
}

function topicOption(): Option {
  return new Option('--topic <topic>', 'whose dead letters').choices(['decisions', 'evaluations'])
}

function filtered(command: Command): Command {
  const moment = argument((text) => parseMoment(text, systemClock.now()))
  return command
    .option('--reason <reason>', 'only with this reason')
    .option('--group <id>', 'only those that this consumer group has written')
    .option('--since <time>', 'only from so long ago on, such as 1h, or from that time on', moment)
    .option('--until <time>', 'only before that', moment)
    .option(
      '--partition <n>',
      'only of this partition of the dead-letter topic',
      argument(parsePlace)
    )
    .option('--offset <n>', 'only at this offset of it', argument(parsePlace))
}

function changing(command: Command): Command {
  return command
    .addOption(topicOption().default('decisions'))
    .option('--execute', 'do it; without, it is only said what would be done')
    .option('--by <name>', 'who is noted to have done it', argument(parseName), loginName())
    .option('--json', 'print one JSON object')
}

/** A container may run as a user who has no name. */
function loginName(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}
