/** Formats the final output of `npm start`: sample results, addresses, and a curl command. */
import { formatTable } from '../../core/format-table.ts'
import type { LocalFile } from '../local-file.ts'
import type { Paint } from '../progress.ts'
import type { TourRow } from './tour.ts'

function ms(value: number | null): string {
  return value === null ? 'not yet' : `${Math.round(value)} ms`
}

/** Formats one row per sample: verdict, and delays of storage and evaluation. */
export function tourTable(rows: TourRow[]): string[] {
  const headings = ['decision', 'agent', 'stored after', 'evaluated after', 'verdict', 'failing']
  const cells = rows.map((row) => [
    row.decisionId,
    row.agent,
    ms(row.storedMs),
    ms(row.evaluatedMs),
    row.verdict,
    row.failing.join(', ') || '-'
  ])
  return formatTable([headings, ...cells])
}

/** Returns the lines of a shell command that sends a decision. */
export function curlOf(local: Pick<LocalFile, 'base_url' | 'api_key'>): string[] {
  const decision = '{"agent_id":"my-agent","input":{"question":"2+2?"},"output":"4"}'
  return [
    `curl -i ${local.base_url}/v1/ingest \\`,
    `  -H 'Authorization: Bearer ${local.api_key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${decision}'`
  ]
}

export function summaryOf(local: LocalFile, paint: Paint): string[] {
  const addresses = formatTable([
    ['Gateway', local.base_url],
    ['API documentation', local.docs_url],
    ['Metrics, readiness', `${local.management_url}/metrics, /readyz`],
    ['  storage', local.storage_management_url],
    ['  evaluation', local.evaluation_management_url],
    ['Console', local.console_url],
    ['Login', `${local.email}  ${local.password}`],
    ['API key', local.api_key],
    ['Kafka', `${local.kafka_brokers}  topic agent-decisions`],
    ['Schema registry', local.schema_registry_url],
    ['Postgres', local.database_url],
    ['Redis', local.redis_url]
  ])
  return [
    paint('bold', 'Sluice is running.'),
    '',
    ...addresses.map((line) => `  ${line}`),
    '',
    paint('bold', 'Send a decision:'),
    '',
    ...curlOf(local).map((line) => `  ${line}`),
    '',
    '  npx sluice --help     command line for this stack',
    '  .sluice/local.json    the addresses above, for scripts',
    '  .sluice/logs          one log per process',
    '  .sluice/mail          outgoing email, one file each',
    '',
    'All services listen on 127.0.0.1. Judges and webhooks may call private addresses.',
    '',
    'Ctrl-C stops everything. The data is kept until npm start -- --reset.'
  ]
}
