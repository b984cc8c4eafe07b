/** Reads evaluator versions and caches them, because a version never changes. */
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import { createCache } from '../../../platform/process/cache.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'
import type { PendingRun } from './pending-run.ts'

interface VersionRow extends Row, Omit<EvaluatorVersion, 'config' | 'output'> {
  /** JSON text. */
  readonly config: string
  readonly output: string
}

const versionsMax = 1000

/** Reads the evaluator version of a run. Returns null if it does not exist. */
export type ReadVersion = (
  transaction: Queryable,
  run: PendingRun
) => Promise<EvaluatorVersion | null>

/** @param builtIn the evaluators that every organization has, which are not stored as rows */
export function createReadVersion(builtIn: readonly EvaluatorVersion[]): ReadVersion {
  const versions = createCache<EvaluatorVersion>(versionsMax)
  const always = new Map(builtIn.map((each) => [`${each.evaluator_id}/${each.version}`, each]))

  return async function readVersion(transaction, run) {
    const { organization_id, evaluator_id, evaluator_version } = run
    const name = `${evaluator_id}/${evaluator_version}`
    const own = `${organization_id}/${name}`
    const known = always.get(name) ?? versions.get(own)
    if (known !== undefined) return known
    const [row] = await transaction.query<VersionRow>(
      `select evaluator_id, version, name, kind, description, config, output, timeout_ms,
              config_hash
         from evaluator_versions
        where organization_id = $1 and evaluator_id = $2 and version = $3`,
      [organization_id, evaluator_id, evaluator_version]
    )
    if (row === undefined) return null
    const config = JSON.parse(row.config) as EvaluatorVersion['config']
    const output = JSON.parse(row.output) as EvaluatorVersion['output']
    const version = { ...row, config, output }
    versions.set(own, version)
    return version
  }
}
