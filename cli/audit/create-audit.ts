/** Creates an audit that opens its clients for each run and closes them afterwards. */
import type { Config } from '../../platform/config/config.ts'
import { createRegistry } from '../../platform/registry/schema-registry.ts'
import { createDecodeRecord } from '../records/decode-record.ts'
import { withAdmin } from '../with-admin.ts'
import { withTopicReader } from '../with-topic-reader.ts'
import type { KafkaConfig } from '../with-topic-reader.ts'
import { withPostgres } from '../with-postgres.ts'
import type { AuditReport } from './audit-report.ts'
import { runAudit } from './run-audit.ts'
import type { AuditDependencies, AuditRequest } from './run-audit.ts'

type AuditConfig = KafkaConfig &
  Config<'SCHEMA_REGISTRY_URL' | 'SCHEMA_REGISTRY_TLS_CA' | 'DATABASE_URL' | 'DATABASE_TLS_CA'>

export type RunAudit = (
  request: AuditRequest,
  options: Pick<AuditDependencies, 'signal' | 'progress'>
) => Promise<AuditReport>

export function createAudit(config: AuditConfig): RunAudit {
  const registry = createRegistry(config.SCHEMA_REGISTRY_URL, config.SCHEMA_REGISTRY_TLS_CA)
  const describe = createDecodeRecord(registry, 'decision')

  return function audit(request, options) {
    return withTopicReader(config, (reader) =>
      withPostgres(config, async (postgres) => {
        const readCommitted = (group: string, topic: string) =>
          withAdmin(config, (admin) => admin.readCommitted(group, topic))
        return await runAudit({ reader, postgres, describe, readCommitted, ...options }, request)
      })
    )
  }
}
