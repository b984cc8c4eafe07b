/** `sluice audit`: accounts for every message in a window of the decisions topic. */
import { systemClock } from '../../platform/process/clock.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { kafkaSettingNames } from '../../platform/kafka/kafka-security.ts'
import type { AuditReport } from '../audit/audit-report.ts'
import { compare, countQueued } from '../audit/count-queued.ts'
import { createAudit } from '../audit/create-audit.ts'
import { keepAuditing } from '../audit/keep-auditing.ts'
import { reportLines } from '../audit/report-lines.ts'
import { throttleProgress } from '../throttle-progress.ts'
import type { InterruptibleContext } from '../command-context.ts'

export interface AuditOptions {
  /** In milliseconds since 1970. `from` and `to` are ignored if `every` is set. */
  readonly from?: number
  readonly to?: number
  /** Length of the window in milliseconds. Ignored if `from` is set and `every` is not. */
  readonly since: number
  readonly topic?: string
  readonly prometheusUrl?: string
  readonly json?: boolean
  /** Pause between audits in milliseconds. If undefined, a single audit runs. */
  readonly every?: number
}

/** @returns true if no message is missing; always true if `every` is set */
export async function audit(
  environment: Environment,
  options: AuditOptions,
  { write, logProgress, signal }: InterruptibleContext
): Promise<boolean> {
  const config = readConfig(environment, [
    ...kafkaSettingNames,
    'SCHEMA_REGISTRY_URL',
    'SCHEMA_REGISTRY_TLS_CA',
    'DATABASE_URL',
    'DATABASE_TLS_CA',
    'DECISIONS_TOPIC',
    'STORAGE_GROUP_ID',
    'MANAGEMENT_HOST',
    'MANAGEMENT_PORT',
    'LOG_LEVEL'
  ])
  const topic = options.topic ?? config.DECISIONS_TOPIC
  const runAudit = createAudit(config)
  const group = config.STORAGE_GROUP_ID

  if (options.every !== undefined) {
    const { every, since } = options
    await keepAuditing({ config, runAudit, topic, group, every, since, signal })
    return true
  }
  const to = options.to ?? systemClock.now()
  const from = options.from ?? to - options.since
  const window = { topic, group, from, to, isToEnd: options.to === undefined }
  if (window.from >= window.to) throw new Error('--from must be before --to')
  const logThrottled = throttleProgress(logProgress)
  const progress = (done: number, all: number): void =>
    logThrottled(`audited ${done} of ${all} messages`)
  const found = await runAudit(window, { signal, progress })
  const report = await withPrometheus(found, window, options.prometheusUrl)
  const lines = options.json === true ? [JSON.stringify(report)] : reportLines(report)
  for (const line of lines) write(line)
  return report.missing === 0
}

async function withPrometheus(
  report: AuditReport,
  window: { readonly from: number; readonly to: number },
  url: string | undefined
): Promise<AuditReport> {
  if (url === undefined) return report
  return { ...report, prometheus: compare(report, await countQueued(url, window)) }
}
