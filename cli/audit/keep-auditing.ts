/** An audit again and again, as a process of its own whose metrics tell what it finds. */
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../platform/process/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { createLogger } from '../../platform/telemetry/logger.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import { startManagement } from '../../platform/telemetry/management.ts'
import { createMetrics } from '../../platform/telemetry/metrics.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { measureProcess } from '../../platform/telemetry/process-metrics.ts'
import { outcomes } from './audit-report.ts'
import type { AuditReport } from './audit-report.ts'
import type { RunAudit } from './create-audit.ts'
import { cautionsOf } from './report-lines.ts'

export interface KeepAuditing {
  readonly config: Config<'MANAGEMENT_HOST' | 'MANAGEMENT_PORT' | 'LOG_LEVEL'>
  readonly runAudit: RunAudit
  readonly topic: string
  readonly group: string
  /** Milliseconds from the end of an audit to the beginning of the next. */
  readonly every: number
  /** Milliseconds that each of them looks back. */
  readonly since: number
  readonly signal: AbortSignal
}

/** Log lines for missing records of one audit; the count is whole. */
const linesMax = 20
const everyMinMs = 1000

/** Until `signal` is aborted. An audit that fails is logged, and the next one follows. */
export async function keepAuditing(options: KeepAuditing): Promise<void> {
  const { config, every, signal } = options
  const logger = createLogger({ level: config.LOG_LEVEL, process: 'audit' })
  const metrics = createMetrics()
  const notReady = (): string[] => (signal.aborted ? ['stopping'] : [])
  measureProcess(metrics, () => !signal.aborted)
  const management = await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    ...{ metrics, notReady, logger }
  })
  try {
    while (!signal.aborted) {
      await auditOnce(options, logger, metrics)
      await pause(Math.max(every, everyMinMs), undefined, { signal }).catch(() => {})
    }
  } finally {
    await management.close()
  }
}

async function auditOnce(options: KeepAuditing, logger: Logger, metrics: Metrics): Promise<void> {
  const { runAudit, topic, group, since, signal } = options
  const to = systemClock.now()
  const request = { topic, group, from: to - since, to, isToEnd: true }
  try {
    const report = await runAudit(request, { signal, progress: () => {} })
    metrics.set('sluice_audit_missing_records', {}, report.missing)
    metrics.set('sluice_audit_last_success_timestamp_seconds', {}, to / 1000)
    tell(report, logger)
  } catch (error) {
    if (!signal.aborted) logger.error({ error }, 'the audit could not be made')
  }
}

function tell(report: AuditReport, logger: Logger): void {
  const { missing_records: records, window, offsets } = report
  const counts = Object.fromEntries(outcomes.map((outcome) => [outcome, report[outcome]]))
  for (const record of records.slice(0, linesMax)) {
    logger.error({ topic: window.topic, ...record }, 'a record is missing')
  }
  for (const caution of cautionsOf(report)) logger.warn({ topic: window.topic }, caution)
  logger.info({ from: window.from, to: window.to, offsets, ...counts }, 'audited')
}
