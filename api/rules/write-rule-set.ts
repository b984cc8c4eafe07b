/** After each change: all rules with the versions that they name now, as plans will name them. */
import type { EvaluatorReference, ResolvedRule, Rule } from '../../core/evaluation/rule.ts'
import { Problem } from '../../core/problem.ts'
import { defaultRuleSet } from '../../evaluators/default-rule-set.ts'
import { resolveRules } from '../../evaluators/planning/resolve-rules.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import { refuseTooMuchOfRuleSets } from '../configuration/change-limit.ts'
import type { Edit } from '../configuration/take-turn.ts'
import { jsonListOf } from '../json-list.ts'
import { readReferences } from './read-references.ts'
import { readRules } from './rule-rows.ts'

interface LastRow extends Row {
  readonly version: number
  readonly content: string
}

/** All evaluators of all rules, written out: consumers hold it in memory. */
const contentCharactersMax = 8 * 1024 * 1024
/** Of one decision that every rule matches: all organizations share the evaluation processes. */
const runsMax = 100

/**
 * Writes the next one, unless the change means nothing to any rule.
 * @param isReduction whether a rule was deleted or disabled, which no limit refuses
 */
export async function writeRuleSet(edit: Edit, isReduction = false): Promise<void> {
  const stored = await readRules(edit)
  const rules = await resolve(
    edit,
    stored.map(({ rule }) => rule)
  )
  if (!isReduction) refuseTooManyRuns(rules)
  const last = await readLast(edit)
  // As text, and in turns: all of them may have megabytes.
  const text = await jsonListOf(rules, (rule) => rule)
  if (contentOf(last.version, text) === last.content) return
  const version = last.version + 1
  const content = contentOf(version, text)
  if (content.length > contentCharactersMax) throw tooLarge()
  if (!isReduction) await refuseTooMuchOfRuleSets(edit, Buffer.byteLength(content))
  await edit.query(
    `insert into rule_sets (organization_id, version, content, created_by)
     values ($1, $2, $3, $4)`,
    [edit.organizationId, version, content, edit.userId]
  )
}

/** The versions that rules name at this moment. */
export async function resolve(
  edit: Pick<Edit, 'organizationId' | 'query'>,
  rules: readonly Rule[]
): Promise<ResolvedRule[]> {
  const references = rules.flatMap(({ evaluators }) => evaluators)
  const versions = await readReferences(edit, references)
  return resolveRules(rules, (reference: EvaluatorReference) => versions(reference))
}

async function readLast(edit: Edit): Promise<Pick<LastRow, 'version' | 'content'>> {
  const [row] = await edit.query<LastRow>(
    `select version, content from rule_sets
      where organization_id = $1 order by version desc limit 1`,
    [edit.organizationId]
  )
  if (row !== undefined) return row
  const { version, rules } = defaultRuleSet
  return { version, content: contentOf(version, JSON.stringify(rules)) }
}

/** @param rules as JSON text */
function contentOf(version: number, rules: string): string {
  return `{"version":${version},"rules":${rules}}`
}

/** Each is a run for every decision that its rule matches. */
function refuseTooManyRuns(rules: readonly ResolvedRule[]): void {
  const runs = rules.reduce((sum, rule) => sum + (rule.enabled ? rule.evaluators.length : 0), 0)
  if (runs <= runsMax) return
  const detail =
    `The enabled rules name evaluators ${runs} times together, and a decision may have ` +
    `${runsMax} runs. Disable some rules or name fewer evaluators.`
  throw new Problem('limit_reached', { detail, members: { limit: runsMax } })
}

function tooLarge(): Problem {
  const detail =
    `All rules with all that their evaluators say would be more than ${contentCharactersMax} ` +
    'characters; shorten or delete some.'
  return new Problem('limit_reached', { detail, members: { limit: contentCharactersMax } })
}
