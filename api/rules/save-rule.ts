/** Builds rules from request bodies, validates them, and writes each change with the next rule set:
 * all rules with the evaluator versions they refer to.
 */
import type { EvaluatorReference, ResolvedRule, Rule } from '../../core/evaluation/rule.ts'
import { Problem } from '../../core/problem.ts'
import type { Violation } from '../../core/problem.ts'
import { defaultRuleSet } from '../../evaluators/default-rule-set.ts'
import { resolveRules } from '../../evaluators/planning/resolve-rules.ts'
import type { FindVersion } from '../../evaluators/planning/resolve-rules.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import { limitReached, refuseBody, refuseName } from '../configuration/problems.ts'
import type { Edit, OrganizationRows } from '../configuration/with-organization-lock.ts'
import { jsonListOf } from '../page.ts'
import { readReferences, readRules, rulesMax, upsertRule } from './queries.ts'
import { ruleDefaults } from './schemas.ts'
import type { RuleChange } from './schemas.ts'

/**
 * Merges a body with the stored rule. A field in the body replaces the stored field as a whole;
 * members missing from the new field get their defaults.
 * @param before the rule to change, or null for a new one
 */
export function ruleDraftOf(rule_id: string, body: RuleChange, before: Rule | null): Rule {
  const kept = before ?? { ...ruleDefaults, name: '', evaluators: [] }
  const { sampling, budget, evaluators } = body
  const { name, enabled, match, ttl_seconds, max_attempts } = { ...kept, ...body }
  return {
    rule_id,
    name,
    enabled,
    match,
    sampling: sampling === undefined ? kept.sampling : { ...ruleDefaults.sampling, ...sampling },
    evaluators:
      evaluators?.map(({ evaluator_id, version = 'latest' }) => ({ evaluator_id, version })) ??
      kept.evaluators,
    budget: budget === undefined ? kept.budget : { ...ruleDefaults.budget, ...budget },
    ttl_seconds,
    max_attempts
  }
}

/**
 * Rejects references to evaluators that do not exist or are already in the list. An evaluator can
 * occur only once per rule, even in different versions, because results are shown as one run per
 * rule and evaluator.
 * @throws {Problem} 422 listing all violations
 */
export async function refuseReferences(
  ours: OrganizationRows,
  { evaluators }: Pick<Rule, 'evaluators'>
): Promise<void> {
  const find = await readReferences(ours, evaluators)
  const seen = new Set<string>()
  const errors = evaluators.flatMap((reference, index): Violation[] => {
    const pointer = `/evaluators/${index}`
    const found = find(reference)
    if (found === undefined) return [missing(pointer, find, reference)]
    if (seen.has(found.evaluator_id)) {
      const detail = 'is already in the list; use another rule for another version'
      return [{ pointer: `${pointer}/evaluator_id`, detail }]
    }
    seen.add(found.evaluator_id)
    return []
  })
  refuseBody(errors)
}

function missing(
  pointer: string,
  find: FindVersion,
  { evaluator_id }: EvaluatorReference
): Violation {
  const latest = find({ evaluator_id, version: 'latest' })
  if (latest === undefined) {
    const detail = 'is not an evaluator of your organization'
    return { pointer: `${pointer}/evaluator_id`, detail }
  }
  const detail = `does not exist; the latest version is ${latest.version}`
  return { pointer: `${pointer}/version`, detail }
}

/**
 * Validates a rule, and writes it together with the next rule set.
 * @param options whether the rule is new, and whether the change only disables it
 * @throws {Problem} 409, 422, 429
 */
export async function saveRule(
  edit: Edit,
  rule: Rule,
  { isNew = false, isReduction = false }: { isNew?: boolean; isReduction?: boolean }
): Promise<void> {
  if (!isReduction) await refuseTooManyChanges(edit)
  const all = await readRules(edit)
  if (isNew && all.length > rulesMax) throw limitReached('rules', rulesMax)
  await refuseReferences(edit, rule)
  const others = all.filter((other) => other.rule.rule_id !== rule.rule_id)
  refuseName(
    rule.name,
    others.map((other) => other.rule)
  )
  await upsertRule(edit, rule)
  await writeRuleSet(edit, isReduction)
}

/**
 * Maximum size of a rule set in characters, including all evaluators. Consumers keep rule sets in
 * memory.
 */
const contentCharactersMax = 8 * 1024 * 1024
/**
 * Maximum number of runs for a decision that all rules match. Limits the load on evaluation, which
 * all organizations share.
 */
const runsMax = 100

/**
 * Writes the next rule set, unless nothing has changed.
 * @param isReduction whether the change only deletes or disables a rule. Such changes are exempt
 * from the limits on runs, on size and on bytes per hour.
 */
export async function writeRuleSet(edit: Edit, isReduction = false): Promise<void> {
  const stored = await readRules(edit)
  const rules = await resolve(
    edit,
    stored.map(({ rule }) => rule)
  )
  if (!isReduction) refuseTooManyRuns(rules)
  // Write the JSON in steps that yield to the event loop: rules can be several megabytes.
  const text = await jsonListOf(rules, (rule) => rule)
  const [last = firstRuleSet] = await query<{ version: number; content: string }>(
    edit,
    sql`select version, content from rule_sets
         where organization_id = ${edit.organizationId} order by version desc limit 1`
  )
  if (contentOf(last.version, text) === last.content) return
  const version = last.version + 1
  const content = contentOf(version, text)
  if (!isReduction) {
    if (content.length > contentCharactersMax) throw tooLarge()
    await refuseTooManyBytes(edit, Buffer.byteLength(content))
  }
  await query(
    edit,
    sql`insert into rule_sets (organization_id, version, content, created_by)
        values (${edit.organizationId}, ${version}, ${content}, ${edit.userId})`
  )
}

/** Replaces evaluator references with the evaluator versions they refer to. */
export async function resolve(
  ours: OrganizationRows,
  rules: readonly Rule[]
): Promise<ResolvedRule[]> {
  const references = rules.flatMap(({ evaluators }) => evaluators)
  return resolveRules(rules, await readReferences(ours, references))
}

/** @param rules JSON */
function contentOf(version: number, rules: string): string {
  return `{"version":${version},"rules":${rules}}`
}

const firstRuleSet = {
  version: defaultRuleSet.version,
  content: contentOf(defaultRuleSet.version, JSON.stringify(defaultRuleSet.rules))
}

/**
 * Limits the number of evaluators in enabled rules, because each of them can cause a run for the
 * same decision.
 */
function refuseTooManyRuns(rules: readonly ResolvedRule[]): void {
  const runs = rules.reduce((sum, rule) => sum + (rule.enabled ? rule.evaluators.length : 0), 0)
  if (runs <= runsMax) return
  const detail =
    `The enabled rules name ${runs} evaluators, but a decision can have at most ${runsMax} ` +
    'runs. Disable some rules or name fewer evaluators.'
  throw new Problem('limit_reached', { detail, members: { limit: runsMax } })
}

function tooLarge(): Problem {
  const detail =
    `The rules and their evaluators would exceed ${contentCharactersMax} characters. ` +
    'Shorten or delete some.'
  return new Problem('limit_reached', { detail, members: { limit: contentCharactersMax } })
}

/**
 * Maximum number of changes to evaluators and rules per organization and hour, because every
 * version is kept. Disabling a rule, and deleting a rule or evaluator, are exempt.
 */
const changesPerHourMax = 1000
/**
 * Maximum size in bytes of the rule sets that an organization writes per hour. A single rule set
 * can have up to `contentCharactersMax` characters.
 */
const ruleSetBytesPerHourMax = 64 * 1024 * 1024

/** @throws {Problem} 429 if the limit is reached */
export async function refuseTooManyChanges(edit: Edit): Promise<void> {
  const [row] = await query<{ seconds: number }>(
    edit,
    sql`select ceil(extract(epoch from created_at + interval '1 hour' - now()))::integer as seconds
          from audit_log
         where organization_id = ${edit.organizationId}
           and created_at > now() - interval '1 hour'
           and action in ('rule.created', 'rule.changed', 'evaluator.created', 'evaluator.changed')
         order by created_at desc
        offset ${changesPerHourMax - 1} limit 1`
  )
  if (row === undefined) return
  throw changesLimited(`changed its evaluators and rules ${changesPerHourMax} times`, row.seconds)
}

/** @throws {Problem} 429 if writing `bytes` would exceed the limit */
async function refuseTooManyBytes(edit: Edit, bytes: number): Promise<void> {
  const { organizationId } = edit
  const [row] = await query<{ written: number; seconds: number }>(
    edit,
    sql`select coalesce(sum(octet_length(content)), 0)::float8 as written,
               coalesce(ceil(extract(epoch from min(created_at) + interval '1 hour' - now())),
                        0)::integer as seconds
          from rule_sets
         where organization_id = ${organizationId}
           and created_at > now() - interval '1 hour'
           and version > (select max(version) - ${changesPerHourMax}::integer
                            from rule_sets where organization_id = ${organizationId})`
  )
  if (row === undefined || row.written + bytes <= ruleSetBytesPerHourMax) return
  const written = `written ${ruleSetBytesPerHourMax} bytes of rules and their evaluators`
  throw changesLimited(written, row.seconds)
}

function changesLimited(what: string, seconds: number): Problem {
  const wait = Math.max(1, seconds)
  return new Problem('changes_limited', {
    detail: `Your organization has ${what} in one hour. Retry in ${wait} s.`,
    headers: { 'retry-after': String(wait) }
  })
}
