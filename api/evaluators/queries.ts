/** Reads and changes evaluators in Postgres. Built-in evaluators are defined in code. */
import type { EvaluatorDraft } from '../../core/evaluation/evaluator-definition.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { configHashOf } from '../../evaluators/config-hash.ts'
import { builtInEvaluators } from '../../evaluators/default-rule-set.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { yieldToEventLoop } from '../../platform/process/yield-to-event-loop.ts'
import { requireFound } from '../configuration/problems.ts'
import type { Edit, OrganizationRows } from '../configuration/with-organization-lock.ts'
import type { EvaluatorView } from './schemas.ts'

/** Maximum number of evaluators per organization, not counting built-in ones. */
export const evaluatorsMax = 200

/** An evaluator version with its metadata. */
export type StoredEvaluator = { readonly version: EvaluatorVersion } & Metadata
type Metadata = Pick<EvaluatorView, 'self_test' | 'created_by' | 'created_at' | 'updated_at'>

/** The columns of a version. `config`, `output` and `self_test` are JSON. */
type VersionRow = Omit<EvaluatorVersion, 'config' | 'output'> &
  Omit<Metadata, 'self_test'> & {
    readonly config: string
    readonly output: string
    readonly self_test: string | null
  }

const builtIn: ReadonlyMap<string, StoredEvaluator> = new Map(
  builtInEvaluators.map((version) => [
    version.evaluator_id,
    { version, self_test: null, created_by: null, created_at: null, updated_at: null }
  ])
)

export function isBuiltIn(evaluatorId: string): boolean {
  return builtIn.has(evaluatorId)
}

/**
 * Reads the versions of evaluators that are not deleted. Yields to the event loop between rows,
 * because parsing a row can take a while: it has up to 256 KiB of JSON.
 */
async function selectVersions(ours: OrganizationRows, condition: Sql): Promise<StoredEvaluator[]> {
  const rows = await query<VersionRow>(
    ours,
    sql`select v.evaluator_id, v.version, v.name, v.kind, v.description, v.config, v.output,
               v.timeout_ms, v.config_hash, v.self_test, v.created_by, e.created_at,
               v.created_at as updated_at
          from evaluators e
          join evaluator_versions v
            on v.organization_id = e.organization_id and v.evaluator_id = e.evaluator_id
         where e.organization_id = ${ours.organizationId}
           and e.deleted_at is null
           and ${condition}
         order by v.version desc`
  )
  const stored: StoredEvaluator[] = []
  for (const { self_test, created_by, created_at, updated_at, ...row } of rows) {
    await yieldToEventLoop()
    stored.push({
      version: {
        ...row,
        config: JSON.parse(row.config) as EvaluatorVersion['config'],
        output: JSON.parse(row.output) as EvaluatorVersion['output']
      },
      self_test: self_test === null ? null : JSON.parse(self_test),
      created_by,
      created_at,
      updated_at
    })
  }
  return stored
}

/** Reads the latest versions of the given evaluators, unordered. */
export async function readEvaluators(
  ours: OrganizationRows,
  evaluatorIds: readonly string[]
): Promise<StoredEvaluator[]> {
  const known = evaluatorIds.flatMap((id) => builtIn.get(id) ?? [])
  const latest = sql`v.version = e.version and e.evaluator_id = any(${evaluatorIds})`
  return [...known, ...(await selectVersions(ours, latest))]
}

/** @throws {Problem} 404 if the evaluator does not exist */
export async function readEvaluator(
  ours: OrganizationRows,
  evaluatorId: string
): Promise<StoredEvaluator> {
  const [found] = await readEvaluators(ours, [evaluatorId])
  return requireFound('evaluator', found, evaluatorId)
}

/** Reads the given versions of an evaluator, newest first. */
export async function readVersions(
  ours: OrganizationRows,
  evaluatorId: string,
  versions: readonly number[]
): Promise<StoredEvaluator[]> {
  const known = builtIn.get(evaluatorId)
  if (known !== undefined) return versions.includes(known.version.version) ? [known] : []
  const named = sql`e.evaluator_id = ${evaluatorId} and v.version = any(${versions})`
  return await selectVersions(ours, named)
}

/** @throws {Problem} 404 if the version does not exist */
export async function readVersion(
  ours: OrganizationRows,
  evaluatorId: string,
  version: number
): Promise<StoredEvaluator> {
  const [found] = await readVersions(ours, evaluatorId, [version])
  return requireFound('evaluator', found, `${evaluatorId}, version ${version}`)
}

/** Reads the configuration sizes in bytes of the versions before `below`, newest first. */
export async function readVersionSizes(
  ours: OrganizationRows,
  evaluatorId: string,
  { below, rowsMax }: { readonly below: number; readonly rowsMax: number }
) {
  const known = builtIn.get(evaluatorId)?.version
  if (known !== undefined)
    return known.version < below ? [{ version: known.version, bytes: 0 }] : []
  return await query<{ readonly version: number; readonly bytes: number }>(
    ours,
    sql`select version, octet_length(config) as bytes
          from evaluator_versions
         where organization_id = ${ours.organizationId} and evaluator_id = ${evaluatorId}
           and version < ${below}
         order by version desc
         limit ${rowsMax}`
  )
}

/**
 * Reads the organization's evaluators, each with the size in bytes of its latest configuration.
 * They are unordered and do not include built-in evaluators.
 */
export function readEvaluatorNames(ours: OrganizationRows) {
  return query<{ readonly evaluator_id: string; readonly name: string; readonly bytes: number }>(
    ours,
    sql`select e.evaluator_id, e.name, octet_length(v.config) as bytes
          from evaluators e
          join evaluator_versions v using (organization_id, evaluator_id, version)
         where organization_id = ${ours.organizationId} and e.deleted_at is null
         limit ${evaluatorsMax}`
  )
}

/**
 * Lists all evaluators. Sorted by `key`, the built-in ones come first in a fixed order, then the
 * others by name.
 */
export async function readEntries(ours: OrganizationRows) {
  const first = builtInEvaluators.map(({ evaluator_id }, index) => {
    return { evaluator_id, key: `0${String(index).padStart(3, '0')}`, bytes: 0 }
  })
  const own = (await readEvaluatorNames(ours)).map(({ evaluator_id, name, bytes }) => {
    return { evaluator_id, key: `1${name}`, bytes }
  })
  return [...first, ...own]
}

/**
 * Inserts a version and makes it the latest. The first version creates the evaluator. Versions are
 * immutable.
 * @param selfTest the self-test report; null if no self-test ran
 */
export async function insertVersion(
  edit: Edit,
  numbered: EvaluatorDraft & Pick<EvaluatorVersion, 'evaluator_id' | 'version'>,
  selfTest: unknown
): Promise<void> {
  const { evaluator_id, version, ...draft } = numbered
  const { name, kind, description, config, output, timeout_ms } = draft
  await query(
    edit,
    sql`insert into evaluator_versions (organization_id, evaluator_id, version, name, kind,
                                        description, config, output, timeout_ms, config_hash,
                                        self_test, created_by)
        values (${edit.organizationId}, ${evaluator_id}, ${version}, ${name}, ${kind},
                ${description}, ${JSON.stringify(config)}, ${JSON.stringify(output)},
                ${timeout_ms}, ${configHashOf(draft)},
                ${selfTest === null ? null : JSON.stringify(selfTest)}, ${edit.userId})`
  )
  await query(
    edit,
    sql`insert into evaluators (organization_id, evaluator_id, name, version)
        values (${edit.organizationId}, ${evaluator_id}, ${name}, ${version})
        on conflict (organization_id, evaluator_id) do update
           set name = excluded.name, version = excluded.version, updated_at = now()`
  )
}

export async function deleteEvaluator(edit: Edit, id: string): Promise<void> {
  await query(
    edit,
    sql`update evaluators set deleted_at = now()
         where organization_id = ${edit.organizationId} and evaluator_id = ${id}`
  )
}
