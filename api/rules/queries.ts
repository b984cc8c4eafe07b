/** Reads and changes rules in Postgres. Also reads the evaluators that rules refer to, and the
 * decisions for previews.
 */
import type { Decision } from '../../core/decision/decision.ts'
import type { EvaluatorReference, Rule } from '../../core/evaluation/rule.ts'
import { defaultRuleId } from '../../core/evaluation/rule.ts'
import { defaultRuleSet } from '../../evaluators/default-rule-set.ts'
import type { FindVersion } from '../../evaluators/planning/resolve-rules.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { yieldToEventLoop } from '../../platform/process/yield-to-event-loop.ts'
import { requireFound } from '../configuration/problems.ts'
import type { Edit, OrganizationRows } from '../configuration/with-organization-lock.ts'
import { readEvaluators, readVersions } from '../evaluators/queries.ts'
import type { RuleView } from './schemas.ts'

/** Maximum number of rules per organization, not counting the built-in rule. */
export const rulesMax = 100

/** The times are null for the built-in rule if it has never been changed. */
type Times = Pick<RuleView, 'created_at' | 'updated_at'>
export type StoredRule = { readonly rule: Rule } & Times
type RuleRow = { readonly definition: string } & Times

const selectRules = ({ organizationId }: OrganizationRows) => sql`
  select definition, created_at, updated_at from evaluation_rules
   where organization_id = ${organizationId} and deleted_at is null`

/**
 * Reads the rules in the order in which plans list them: first the built-in rule, then the others
 * by id, oldest first.
 */
export async function readRules(ours: OrganizationRows): Promise<StoredRule[]> {
  const all = sql`${selectRules(ours)} order by rule_id collate "C" limit ${rulesMax + 1}`
  const stored: StoredRule[] = []
  for (const row of await query<RuleRow>(ours, all)) {
    // Parsing a rule can take a while: it has up to 64 KiB of JSON.
    await yieldToEventLoop()
    stored.push(storedOf(row))
  }
  const isBuiltIn = ({ rule }: StoredRule): boolean => rule.rule_id === defaultRuleId
  const first = stored.find(isBuiltIn) ?? unchanged
  return [first, ...stored.filter((each) => !isBuiltIn(each))]
}

/** @throws {Problem} 404 if the rule does not exist */
export async function readRule(ours: OrganizationRows, ruleId: string): Promise<StoredRule> {
  const one = sql`${selectRules(ours)} and rule_id = ${ruleId}`
  const [row] = await query<RuleRow>(ours, one)
  const stored = row && storedOf(row)
  return requireFound('rule', stored ?? (ruleId === defaultRuleId ? unchanged : null), ruleId)
}

const defaultRules = defaultRuleSet.rules.map(({ evaluators, ...terms }): Rule => ({
  ...terms,
  evaluators: evaluators.map(({ evaluator_id }) => ({ evaluator_id, version: 'latest' }))
}))
const [defaultRule] = defaultRules as [Rule]
const unchanged: StoredRule = { rule: defaultRule, created_at: null, updated_at: null }

/**
 * For the built-in rule, uses only `enabled` from the stored definition, because nothing else can
 * be changed.
 */
function storedOf({ definition, created_at, updated_at }: RuleRow): StoredRule {
  const rule = JSON.parse(definition) as Rule
  if (rule.rule_id !== defaultRuleId) return { rule, created_at, updated_at }
  return { rule: { ...defaultRule, enabled: rule.enabled }, created_at, updated_at }
}

export async function upsertRule(edit: Edit, rule: Rule): Promise<void> {
  await query(
    edit,
    sql`insert into evaluation_rules (organization_id, rule_id, name, definition)
        values (${edit.organizationId}, ${rule.rule_id}, ${rule.name}, ${JSON.stringify(rule)})
        on conflict (organization_id, rule_id) do update
           set name = excluded.name, definition = excluded.definition, updated_at = now()`
  )
}

export async function deleteRule(edit: Edit, id: string): Promise<void> {
  await query(
    edit,
    sql`update evaluation_rules set deleted_at = now()
         where organization_id = ${edit.organizationId} and rule_id = ${id}`
  )
}

/** Reads the evaluator versions that rules refer to. */
export async function readReferences(
  ours: OrganizationRows,
  references: readonly EvaluatorReference[]
): Promise<FindVersion> {
  const nameOf = ({ evaluator_id, version }: EvaluatorReference) => `${evaluator_id} ${version}`
  const ids = [...new Set(references.map(({ evaluator_id }) => evaluator_id))]
  const known = new Map(
    (await readEvaluators(ours, ids)).flatMap(({ version }) => [
      [nameOf({ ...version, version: 'latest' }), version],
      [nameOf(version), version]
    ])
  )
  for (const reference of references) {
    const { evaluator_id, version } = reference
    if (version === 'latest' || known.has(nameOf(reference))) continue
    const [pinned] = await readVersions(ours, evaluator_id, [version])
    if (pinned !== undefined) known.set(nameOf(reference), pinned.version)
  }
  return (reference) => known.get(nameOf(reference))
}

interface Period {
  readonly from: Date
  readonly to: Date
}

/**
 * Counts decisions from hourly sums. Includes the whole first hour of the period. `since` is the
 * hour of the organization's first decision; null if it has none.
 */
export async function countDecisions(ours: OrganizationRows, { from, to }: Period) {
  const [row] = await query<{ readonly decisions: number; readonly since: Date | null }>(
    ours,
    sql`select coalesce(sum(decisions), 0)::bigint as decisions,
               (select min(hour) from decision_hours
                 where organization_id = ${ours.organizationId}) as since
          from decision_hours
         where organization_id = ${ours.organizationId}
           and hour >= date_trunc('hour', ${from}::timestamptz, 'UTC')
           and hour <= ${to}`
  )
  return row ?? { decisions: 0, since: null }
}

export const sampleMax = 2000
/**
 * Maximum size of metadata in bytes. Larger metadata is omitted, because the whole sample is held
 * in memory.
 */
export const metadataBytesMax = 8192

/**
 * Estimates the number of characters from the number of bytes and the first 1000 characters.
 * Counting all characters would read the whole text, which can be several megabytes.
 */
const charactersOf = (column: Sql) => sql`
  octet_length(${column})::float8 * char_length(left(${column}, 1000))
    / greatest(octet_length(left(${column}, 1000)), 1)`

/**
 * Selects the newest decisions, newest first, with the combined length of `input` and `output`
 * instead of these texts.
 */
export async function readRecent(ours: OrganizationRows, { from, to }: Period) {
  type Read = Pick<Decision, 'decision_id' | 'agent_id' | 'session_id' | 'domain' | 'metadata'>
  const { organizationId: organization_id } = ours
  const rows = await query<Read & { readonly received_at: Date; readonly characters: number }>(
    ours,
    sql`select decision_id, received_at, agent_id, session_id, domain,
               case when octet_length(metadata) <= ${metadataBytesMax} then metadata end
                 as metadata,
               ${charactersOf(sql`input`)} + ${charactersOf(sql`output`)} as characters
          from decisions
         where organization_id = ${organization_id}
           and received_at >= ${from}
           and received_at <= ${to}
         order by received_at desc, decision_id desc
         limit ${sampleMax}`
  )
  return rows.map(({ characters, ...row }) => {
    const received_at = row.received_at.getTime()
    const decision: Decision = { ...unread, ...row, organization_id, received_at }
    return { decision, characters }
  })
}

const unread = {
  input: 'null',
  output: '',
  input_tokens: null,
  output_tokens: null,
  sdk_version: null
}
