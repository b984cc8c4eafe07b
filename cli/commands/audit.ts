/** `sluice audit`: accounts for every message of a window of the decisions topic. */
import { systemClock } from '../../platform/process/clock.ts'
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { kafkaSettingNames } from '../../platform/kafka/kafka-security.ts'
import type { AuditReport } from '../audit/audit-report.ts'
import { compare, countQueued } from '../audit/count-queued.ts'
import { createAudit } from '../audit/create-audit.ts'
import { keepAuditing } from '../audit/keep-auditing.ts'
import { reportLines } from '../audit/report-lines.ts'
import { everySecond } from '../every-second.ts'
import type { InterruptibleSurroundings } from '../surroundings.ts'

export interface AuditOptions {
  /** Milliseconds since 1970. */
  readonly from?: number
  readonly to?: number
  /** Milliseconds before now. */
  readonly since: number
  readonly topic?: string
  readonly prometheusUrl?: string
  readonly json?: boolean
  /** Milliseconds between two audits; once without it. */
  readonly every?: number
}

/** @returns whether nothing is missing. */
export async function audit(
  environment: Environment,
  options: AuditOptions,
  { write, tell, signal }: InterruptibleSurroundings
): Promise<boolean> {
  const config = readConfig(environment, [
    ...kafkaSettingNames,
    ...(['SCHEMA_REGISTRY_URL', 'SCHEMA_REGISTRY_TLS_CA', 'DATABASE_URL'] as const),
    ...(['DATABASE_TLS_CA', 'DECISIONS_TOPIC', 'STORAGE_GROUP_ID'] as const),
    ...(['MANAGEMENT_HOST', 'MANAGEMENT_PORT', 'LOG_LEVEL'] as const)
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
  if (window.from >= window.to) throw new Error('--from has to be before --to')
  const tellNow = everySecond(tell)
  const progress = (done: number, all: number): void => tellNow(`looked at ${done} of ${all}`)
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
