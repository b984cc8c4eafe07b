/** Repeats the audit in a long-running process, and publishes the results as metrics. */
import { setTimeout as pause } from 'node:timers/promises'
import { systemClock } from '../../platform/process/clock.ts'
import type { Config } from '../../platform/config/config.ts'
import { createLogger } from '../../platform/telemetry/logger.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import { startManagement } from '../../platform/telemetry/management.ts'
import { createMetrics } from '../../platform/telemetry/metrics.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { measureProcess } from '../../platform/telemetry/process-metrics.ts'
import { auditOutcomes } from '../../store/audit/audit-result.ts'
import type { AuditReport } from './audit-report.ts'
import type { RunAudit } from './create-audit.ts'
import { cautionsOf } from './report-lines.ts'

interface KeepAuditing {
  readonly config: Config<'MANAGEMENT_HOST' | 'MANAGEMENT_PORT' | 'LOG_LEVEL'>
  readonly runAudit: RunAudit
  readonly topic: string
  readonly group: string
  /** Pause between two audits, in milliseconds. */
  readonly every: number
  /** Length of the audited window, in milliseconds. */
  readonly since: number
  readonly signal: AbortSignal
}

/** Maximum number of missing records to log per audit. The metric counts all of them. */
const linesMax = 20
const everyMinMs = 1000

/** Runs audits until `signal` is aborted. Logs a failed audit and continues with the next one. */
export async function keepAuditing(options: KeepAuditing): Promise<void> {
  const { config, every, signal } = options
  const logger = createLogger({ level: config.LOG_LEVEL, process: 'audit' })
  const metrics = createMetrics()
  const notReady = (): string[] => (signal.aborted ? ['stopping'] : [])
  measureProcess(metrics, () => !signal.aborted)
  const management = await startManagement({
    host: config.MANAGEMENT_HOST,
    port: config.MANAGEMENT_PORT,
    metrics,
    notReady,
    logger
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
    logReport(report, logger)
  } catch (error) {
    if (!signal.aborted) logger.error({ error }, 'audit failed')
  }
}

function logReport(report: AuditReport, logger: Logger): void {
  const { missing_records: records, window, offsets } = report
  const counts = Object.fromEntries(auditOutcomes.map((outcome) => [outcome, report[outcome]]))
  for (const record of records.slice(0, linesMax)) {
    logger.error({ topic: window.topic, ...record }, 'record missing')
  }
  for (const caution of cautionsOf(report)) logger.warn({ topic: window.topic }, caution)
  logger.info({ from: window.from, to: window.to, offsets, ...counts }, 'audited')
}
