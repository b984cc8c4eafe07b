/** `sluice audit` and its options; the code of the command is loaded only when it runs. */
import { Option } from 'commander'
import type { Command } from 'commander'
import { systemClock } from '../../platform/process/clock.ts'
import type { AuditOptions } from '../commands/audit.ts'
import { interrupted } from '../interrupted.ts'
import { parseDuration, parseMoment } from '../parse-option.ts'
import type { Surroundings } from '../surroundings.ts'
import { argument } from './argument.ts'

const exitMissing = 1

export function addAudit(program: Command, { environment, write, tell }: Surroundings): void {
  const moment = argument((text) => parseMoment(text, systemClock.now()))

  program
    .command('audit')
    .description('account for every message of the decisions topic; ends with 1 if one is missing')
    .addOption(
      new Option('--since <duration>', 'look back so far')
        .argParser(argument(parseDuration))
        .default(parseDuration('1h'), '1h')
    )
    .option('--from <time>', 'begin at that time instead, such as 2026-01-31T08:00Z', moment)
    .option('--to <time>', 'end at that time instead of now', moment)
    .option('--topic <topic>', 'another topic than DECISIONS_TOPIC')
    .option('--prometheus-url <url>', 'compare with what the gateways counted')
    .option('--every <duration>', 'do it again and again, with metrics', argument(parseDuration))
    .option('--json', 'print one JSON object')
    .action(async (options: AuditOptions) => {
      const { audit } = await import('../commands/audit.ts')
      const isWhole = await audit(environment, options, { write, tell, signal: interrupted() })
      if (!isWhole) process.exitCode = exitMissing
    })
}
