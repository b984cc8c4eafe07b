/** Defines `sluice audit` and its options. Loads the code of the command only when it runs. */
import { Option } from 'commander'
import type { Command } from 'commander'
import { systemClock } from '../../platform/process/clock.ts'
import type { AuditOptions } from '../commands/audit.ts'
import { interruptSignal } from '../interrupt-signal.ts'
import { parseDuration, parseMoment } from '../parse-option.ts'
import type { CommandContext } from '../command-context.ts'
import { argument } from './argument.ts'

const exitMissing = 1

export function addAudit(
  program: Command,
  { environment, write, logProgress }: CommandContext
): void {
  const moment = argument((text) => parseMoment(text, systemClock.now()))

  program
    .command('audit')
    .description(
      'account for every message of the decisions topic, and exit with 1 if one is missing'
    )
    .addOption(
      new Option('--since <duration>', 'length of the audited window, which ends now')
        .argParser(argument(parseDuration))
        .default(parseDuration('1h'), '1h')
    )
    .option(
      '--from <time>',
      'start of the window, such as 2026-01-31T08:00Z (overrides --since)',
      moment
    )
    .option('--to <time>', 'end of the window (default: now)', moment)
    .option('--topic <topic>', 'topic to audit (default: DECISIONS_TOPIC)')
    .option(
      '--prometheus-url <url>',
      "compare the result with the gateways' counters in this Prometheus server"
    )
    .option(
      '--every <duration>',
      'repeat the audit at this interval and serve metrics',
      argument(parseDuration)
    )
    .option('--json', 'print one JSON object')
    .action(async (options: AuditOptions) => {
      const { audit } = await import('../commands/audit.ts')
      const isWhole = await audit(environment, options, {
        write,
        logProgress,
        signal: interruptSignal()
      })
      if (!isWhole) process.exitCode = exitMissing
    })
}
