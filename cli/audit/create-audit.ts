/** Creates an audit that opens its clients for each run and closes them afterwards. */
import type { Config } from '../../platform/config/config.ts'
import { createRegistry } from '../../platform/registry/schema-registry.ts'
import { createDecodeDecision } from '../../platform/registry/decoders.ts'
import { withAdmin } from '../with-admin.ts'
import { withTopicReader } from '../with-topic-reader.ts'
import type { KafkaConfig } from '../with-topic-reader.ts'
import { withPostgres } from '../with-postgres.ts'
import { runAudit } from '../../store/audit/run-audit.ts'
import type { AuditDependencies, AuditRequest } from '../../store/audit/run-audit.ts'
import { reportOf } from './audit-report.ts'
import type { AuditReport } from './audit-report.ts'

type AuditConfig = KafkaConfig &
  Config<'SCHEMA_REGISTRY_URL' | 'SCHEMA_REGISTRY_TLS_CA' | 'DATABASE_URL' | 'DATABASE_TLS_CA'>

export type RunAudit = (
  request: AuditRequest,
  options: Pick<AuditDependencies, 'signal' | 'progress'>
) => Promise<AuditReport>

export function createAudit(config: AuditConfig): RunAudit {
  const registry = createRegistry(config.SCHEMA_REGISTRY_URL, config.SCHEMA_REGISTRY_TLS_CA)
  const decode = createDecodeDecision(registry)

  return function audit(request, options) {
    return withTopicReader(config, (reader) =>
      withPostgres(config, async (postgres) => {
        const readCommitted = (group: string, topic: string) =>
          withAdmin(config, (admin) => admin.readCommitted(group, topic))
        const dependencies = { reader, postgres, decode, readCommitted, ...options }
        return reportOf(request, await runAudit(dependencies, request))
      })
    )
  }
}
