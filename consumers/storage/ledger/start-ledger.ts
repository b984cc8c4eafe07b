/** Audits the decisions topic every few minutes, and stores the result as the ledger of each
 * organization.
 *
 * The cost of an audit is limited: it reads about twice `AUDIT_BYTES_MAX` bytes from Kafka and
 * uses about 230 MB of memory. Only one process of the group audits at a time. A failed audit
 * leaves the previous ledger in place and does not affect storage.
 */
import type { Clock } from '../../../core/clock.ts'
import { every } from '../../../platform/process/every.ts'
import type { Postgres } from '../../../platform/postgres/postgres.ts'
import type { Config } from '../../../platform/config/config.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import { runAudit } from '../../../store/audit/run-audit.ts'
import type { Audit, AuditDependencies, AuditRequest } from '../../../store/audit/run-audit.ts'
import { hourMs, ledgerResultOf } from './ledger-result.ts'
import { selectActiveOrganizations, takeLease, writeLedger } from './ledger-table.ts'

interface LedgerOptions extends Omit<AuditDependencies, 'postgres' | 'signal' | 'progress'> {
  readonly config: Config<
    | 'AUDIT_INTERVAL_SECONDS'
    | 'AUDIT_WINDOW_SECONDS'
    | 'AUDIT_BYTES_MAX'
    | 'DECISIONS_TOPIC'
    | 'STORAGE_GROUP_ID'
  >
  readonly postgres: Postgres
  readonly clock: Clock
  readonly logger: Logger
}

const checkMsMax = 15_000
/** About a million identities take 16 MiB. */
const identitiesMax = 2 ** 20
const organizationsMax = 5000
const deadLettersMax = 2 ** 18
/**
 * Shorter than in a command, because each audit also reads the dead-letter records of this time.
 */
const clockSkewMs = 300_000
/** Maximum number of missing records to log per audit. */
const linesMax = 20

/** @returns a function that stops auditing and resolves when the current audit has ended */
export function startLedger(options: LedgerOptions): () => Promise<void> {
  const ms = Math.min(checkMsMax, options.config.AUDIT_INTERVAL_SECONDS * 250)
  const onError = (error: unknown): void =>
    options.logger.warn({ error }, 'audit for the ledger failed; retrying when the next is due')
  return every({ ms, firstAfterMs: ms, onError }, (signal) => auditIfDue(options, signal)).stop
}

async function auditIfDue(options: LedgerOptions, stopping: AbortSignal): Promise<void> {
  const { config, postgres, clock, logger } = options
  const { DECISIONS_TOPIC: topic, AUDIT_INTERVAL_SECONDS: seconds } = config
  const lease = await takeLease(postgres, topic, seconds)
  if (lease === null) return
  const to = clock.now()
  // The window begins at a whole hour, because gateways count by hour.
  const from = Math.floor((to - config.AUDIT_WINDOW_SECONDS * 1000) / hourMs) * hourMs
  const active = await selectActiveOrganizations(postgres, new Date(from), organizationsMax)
  const request = { ...requestOf(config, active), from, to }
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(seconds * 1000)])
  const audit = await runAudit({ ...options, signal }, request).catch((error: unknown) => {
    if (stopping.aborted) return null
    throw error
  })
  if (audit === null) return
  const result = ledgerResultOf(audit, to)
  const isWritten = await writeLedger(postgres, { topic, lease }, result)
  if (isWritten) logAudit(audit, logger, topic)
}

function requestOf(
  config: LedgerOptions['config'],
  preferredOrganizations: ReadonlySet<string>
): Omit<AuditRequest, 'from' | 'to'> {
  return {
    topic: config.DECISIONS_TOPIC,
    group: config.STORAGE_GROUP_ID,
    isToEnd: true,
    limits: {
      bytesMax: config.AUDIT_BYTES_MAX,
      identitiesMax,
      organizationsMax,
      preferredOrganizations,
      deadLettersMax,
      clockSkewMs
    }
  }
}

function logAudit({ tally }: Audit, logger: Logger, topic: string): void {
  for (const record of tally.all.missing.slice(0, linesMax)) {
    logger.error({ topic, ...record }, 'record missing')
  }
}
