/** An audit with the clients it needs: opened for one run, and closed after it. */
import type { Config } from '../../platform/config/config.ts'
import { createRegistry } from '../../platform/registry/schema-registry.ts'
import { createDescribe } from '../records/describe.ts'
import { withAdmin } from '../with-admin.ts'
import { withLog } from '../with-log.ts'
import type { LogConfig } from '../with-log.ts'
import { withPostgres } from '../with-postgres.ts'
import type { AuditReport } from './audit-report.ts'
import { runAudit } from './run-audit.ts'
import type { AuditDependencies, AuditRequest } from './run-audit.ts'

export type AuditConfig = LogConfig &
  Config<'SCHEMA_REGISTRY_URL' | 'SCHEMA_REGISTRY_TLS_CA' | 'DATABASE_URL' | 'DATABASE_TLS_CA'>

export type RunAudit = (
  request: AuditRequest,
  watching: Pick<AuditDependencies, 'signal' | 'progress'>
) => Promise<AuditReport>

export function createAudit(config: AuditConfig): RunAudit {
  const registry = createRegistry(config.SCHEMA_REGISTRY_URL, config.SCHEMA_REGISTRY_TLS_CA)
  const describe = createDescribe(registry, 'decision')

  return function audit(request, watching) {
    return withLog(config, (reader) =>
      withPostgres(config, async (postgres) => {
        const readCommitted = (group: string, topic: string) =>
          withAdmin(config, (admin) => admin.readCommitted(group, topic))
        return await runAudit({ reader, postgres, describe, readCommitted, ...watching }, request)
      })
    )
  }
}
