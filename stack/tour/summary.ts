/** What a person reads once the stack is up: the samples, all addresses, and a curl to try. */
import { layOut } from '../../core/lay-out.ts'
import type { LocalFile } from '../local-file.ts'
import type { Paint } from '../progress.ts'
import type { TourRow } from './tour.ts'

function ms(value: number | null): string {
  return value === null ? 'not yet' : `${Math.round(value)} ms`
}

/** One row per sample: what became of it, and how long after it was sent. */
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
  return layOut([headings, ...cells])
}

/** Ready to be pasted into a shell. */
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
  const places = layOut([
    ['Gateway', local.base_url],
    ['API documentation', local.docs_url],
    ['Metrics, readiness', `${local.management_url}/metrics, /readyz`],
    ['  of storage', local.storage_management_url],
    ['  of evaluation', local.evaluation_management_url],
    ['Login', `${local.email}  ${local.password}`],
    ['API key', local.api_key],
    ['Kafka', `${local.kafka_brokers}  topic agent-decisions`],
    ['Schema registry', local.schema_registry_url],
    ['Postgres', local.database_url],
    ['Redis', local.redis_url]
  ])
  return [
    paint('bold', 'Sluice is up.'),
    '',
    ...places.map((line) => `  ${line}`),
    '',
    paint('bold', 'Send a decision of your own:'),
    '',
    ...curlOf(local).map((line) => `  ${line}`),
    '',
    '  npx sluice --help     the command line, on this stack',
    '  .sluice/local.json    all of the above, for scripts',
    '  .sluice/logs          one log per process',
    '  .sluice/mail          letters to people, one file each',
    '',
    'Everything listens on 127.0.0.1. Judges and webhooks may call private addresses.',
    '',
    'Ctrl-C stops everything; the data stays until npm start -- --reset.'
  ]
}
