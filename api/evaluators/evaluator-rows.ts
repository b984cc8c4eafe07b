/** Evaluators as the tables hold them, and the built-in ones, which no table has. */
import type { EvaluatorKind, EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import type { ScoreDefinition } from '../../core/evaluation/evaluator-definition.ts'
import { builtInEvaluators } from '../../evaluators/default-rule-set.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import { yieldTurn } from '../../platform/process/yield-turn.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'

/** Of an organization, beside the built-in ones. */
export const evaluatorsMax = 200

/** One version of an evaluator, and where it comes from. */
export interface StoredEvaluator {
  readonly version: EvaluatorVersion
  /** What the attacks on a judge came to; null for other kinds, and where nobody tried. */
  readonly self_test: unknown
  readonly created_by: string | null
  /** Of the evaluator; null for a built-in one, as is `updated_at`. */
  readonly created_at: Date | null
  /** Of this version. */
  readonly updated_at: Date | null
}

interface VersionRow extends Row {
  readonly evaluator_id: string
  readonly version: number
  readonly name: string
  readonly kind: EvaluatorKind
  readonly description: string | null
  readonly config: string
  readonly output: string
  readonly timeout_ms: number
  readonly config_hash: string
  readonly self_test: string | null
  readonly created_by: string
  readonly created_at: Date
  readonly updated_at: Date
}

/** Versions of what is not deleted; the condition on them is still to come. */
const selectVersions = `
  select v.evaluator_id, v.version, v.name, v.kind, v.description, v.config, v.output,
         v.timeout_ms, v.config_hash, v.self_test, v.created_by, e.created_at,
         v.created_at as updated_at
    from evaluators e
    join evaluator_versions v
      on v.organization_id = e.organization_id and v.evaluator_id = e.evaluator_id
   where e.organization_id = $1
     and e.deleted_at is null`

const builtIn: ReadonlyMap<string, StoredEvaluator> = new Map(
  builtInEvaluators.map((version) => [
    version.evaluator_id,
    { version, self_test: null, created_by: null, created_at: null, updated_at: null }
  ])
)

export const builtInStored: readonly StoredEvaluator[] = [...builtIn.values()]

export function isBuiltIn(evaluatorId: string): boolean {
  return builtIn.has(evaluatorId)
}

/** The latest versions of these, in no order. */
export async function readEvaluators(
  ours: OrganizationRows,
  evaluatorIds: readonly string[]
): Promise<StoredEvaluator[]> {
  const rows = await ours.query<VersionRow>(
    `${selectVersions} and v.version = e.version and e.evaluator_id = any($2)`,
    [ours.organizationId, evaluatorIds]
  )
  const known = evaluatorIds.flatMap((id) => builtIn.get(id) ?? [])
  return [...known, ...(await storedOf(rows))]
}

export async function readEvaluator(
  ours: OrganizationRows,
  evaluatorId: string
): Promise<StoredEvaluator | null> {
  const [found] = await readEvaluators(ours, [evaluatorId])
  return found ?? null
}

export async function readVersion(
  ours: OrganizationRows,
  evaluatorId: string,
  version: number
): Promise<StoredEvaluator | null> {
  const known = builtIn.get(evaluatorId)
  if (known !== undefined) return known.version.version === version ? known : null
  const [row] = await ours.query<VersionRow>(
    `${selectVersions} and e.evaluator_id = $2 and v.version = $3`,
    [ours.organizationId, evaluatorId, version]
  )
  const [stored] = await storedOf(row === undefined ? [] : [row])
  return stored ?? null
}

export interface SizedVersion {
  readonly version: number
  /** Of its configuration. */
  readonly bytes: number
}

/** Newest first, below a version; at most so many. */
export async function readVersionSizes(
  ours: OrganizationRows,
  evaluatorId: string,
  { below, rowsMax }: { readonly below: number; readonly rowsMax: number }
): Promise<readonly SizedVersion[]> {
  const known = builtIn.get(evaluatorId)?.version
  if (known !== undefined)
    return known.version < below ? [{ version: known.version, bytes: 0 }] : []
  return await ours.query<SizedVersion & Row>(
    `select version, octet_length(config) as bytes
       from evaluator_versions
      where organization_id = $1 and evaluator_id = $2 and version < $3
      order by version desc
      limit ${rowsMax}`,
    [ours.organizationId, evaluatorId, below]
  )
}

/** These versions, newest first. */
export async function readVersions(
  ours: OrganizationRows,
  evaluatorId: string,
  versions: readonly number[]
): Promise<StoredEvaluator[]> {
  const known = builtIn.get(evaluatorId)
  if (known !== undefined) return versions.includes(known.version.version) ? [known] : []
  const rows = await ours.query<VersionRow>(
    `${selectVersions} and e.evaluator_id = $2 and v.version = any($3)
      order by v.version desc`,
    [ours.organizationId, evaluatorId, versions]
  )
  return await storedOf(rows)
}

export interface EvaluatorName {
  readonly evaluator_id: string
  readonly name: string
  /** Of the configuration of its latest version. */
  readonly bytes: number
}

/** Of an organization's own, in no order. */
export function readEvaluatorNames(ours: OrganizationRows): Promise<EvaluatorName[]> {
  return ours.query<EvaluatorName & Row>(
    `select e.evaluator_id, e.name, octet_length(v.config) as bytes
       from evaluators e
       join evaluator_versions v using (organization_id, evaluator_id, version)
      where organization_id = $1 and e.deleted_at is null
      limit ${evaluatorsMax}`,
    [ours.organizationId]
  )
}

/** In turns: each may have 256 KiB of JSON. */
async function storedOf(rows: readonly VersionRow[]): Promise<StoredEvaluator[]> {
  const stored: StoredEvaluator[] = []
  for (const row of rows) {
    await yieldTurn()
    stored.push(storedEvaluatorOf(row))
  }
  return stored
}

function storedEvaluatorOf(row: VersionRow): StoredEvaluator {
  const { config, output, self_test, created_by, created_at, updated_at, ...version } = row
  return {
    version: {
      ...version,
      config: JSON.parse(config) as EvaluatorVersion['config'],
      output: JSON.parse(output) as ScoreDefinition
    },
    self_test: self_test === null ? null : JSON.parse(self_test),
    created_by,
    created_at,
    updated_at
  }
}

/** As callers see it. */
export function evaluatorView({ version, ...stored }: StoredEvaluator) {
  const { evaluator_id, name, kind, description, config, output, timeout_ms } = version
  const { self_test, created_by, created_at, updated_at } = stored
  return {
    ...{ evaluator_id, name, kind, description, built_in: isBuiltIn(evaluator_id) },
    ...{ version: version.version, config, output, timeout_ms, config_hash: version.config_hash },
    ...{ self_test, created_by, created_at, updated_at }
  }
}
