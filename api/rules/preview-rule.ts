/** POST /v1/evaluation/rules/preview: a rule taken through the decisions of the last days. */
import type { Clock } from '../../core/clock.ts'
import { wilsonInterval } from '../../core/evaluation/interval.ts'
import type { ResolvedRule } from '../../core/evaluation/rule.ts'
import { createPlanRules } from '../../evaluators/planning/plan-rules.ts'
import type { RuleOutcome } from '../../evaluators/planning/plan-rules.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { invalidBody } from '../configuration/refusals.ts'
import type { TenantCompute } from '../evaluators/tenant-compute.ts'
import { yieldTurn } from '../../platform/process/yield-turn.ts'
import type { Store } from '../store.ts'
import { estimateCost } from './estimate-cost.ts'
import { countDecisions, metadataBytesMax, readRecent, sampleMax } from './recent-decisions.ts'
import type { RecentDecision } from './recent-decisions.ts'
import { checkReferences, ruleDraftOf } from './rule-draft.ts'
import type { RuleBody } from './rule-draft.ts'
import { resolve } from './write-rule-set.ts'

export interface PreviewRuleDependencies {
  readonly store: Store
  readonly clock: Clock
  readonly allowance: TenantCompute['allowance']
}

const days = 7
const dayMs = 86_400_000
const hoursPerDay = 24
const examplesMax = 5

export function createPreviewRule(dependencies: PreviewRuleDependencies): SessionHandle {
  const { store, clock, allowance } = dependencies

  return async function previewRule({ principal, body }) {
    const { organization_id: organizationId } = principal
    // Checked again: calls ahead of it in the queue may have used the compute time.
    allowance.refuseSpent(organizationId)
    const ours = store.of(organizationId)
    const draft = { ...ruleDraftOf('preview', body as RuleBody, null), enabled: true }
    const errors = await checkReferences(ours, draft)
    if (errors.length > 0) throw invalidBody(errors)
    const rules = await resolve(ours, [draft])
    const to = new Date(clock.now())
    const range = { from: new Date(to.getTime() - days * dayMs), to }
    const { decisions, since } = await countDecisions(ours, range)
    const daysSeen = daysSince(since, to)
    const recent = await readRecent(ours, range)
    const seen = await planned(rules, recent, (ms) => allowance.spend(organizationId, ms))
    const expected = expectedOf(rules, seen, decisions / daysSeen)
    const evaluators = rules.flatMap((rule) => rule.evaluators)
    const { usd_per_day, assumes } = await estimateCost(ours, evaluators, expected)
    const preview = {
      ...{ from: range.from, to, decisions, sampled_decisions: { n: recent.length } },
      ...{ matched: seen.matched, matched_7d: Math.round(decisions * (seen.matched.share ?? 0)) },
      est_runs_per_day: expected.callsPerDay * evaluators.length,
      est_usd_per_day: usd_per_day,
      assumes: [...basis(recent.length, daysSeen), ...assumes],
      ...{ examples: seen.examples, not_matched_by: seen.not_matched_by }
    }
    return jsonReply(200, JSON.stringify(preview))
  }
}

interface Seen {
  readonly matched: ReturnType<typeof shareOf>
  readonly examples: readonly string[]
  readonly not_matched_by: Readonly<Record<string, number>>
  /** Of those that it is about. */
  readonly charactersPerDecision: number
}

/** With the planner that evaluates decisions. The rule decides how long that takes. */
async function planned(
  rules: readonly ResolvedRule[],
  recent: readonly RecentDecision[],
  spend: (ms: number) => void
): Promise<Seen> {
  const planRules = createPlanRules({ version: 0, rules })
  const outcomes: (RecentDecision & { readonly outcome: RuleOutcome | undefined })[] = []
  for (const each of recent) {
    await yieldTurn()
    const startedAt = performance.now()
    outcomes.push({ ...each, outcome: planRules(each.decision)[0] })
    spend(performance.now() - startedAt)
  }
  const matched = outcomes.filter(({ outcome }) => isMatch(outcome))
  const taken = outcomes.filter(({ outcome }) => outcome === 'planned')
  const others = outcomes.filter(({ outcome }) => outcome !== 'planned')
  const reasons = Map.groupBy(others, ({ outcome }) => outcome ?? 'disabled')
  const characters = matched.reduce((sum, each) => sum + each.characters, 0)
  return {
    matched: shareOf(matched.length, recent.length),
    examples: taken.slice(0, examplesMax).map(({ decision }) => decision.decision_id),
    not_matched_by: Object.fromEntries([...reasons].map(([why, { length }]) => [why, length])),
    charactersPerDecision: matched.length === 0 ? 0 : characters / matched.length
  }
}

function isMatch(outcome: RuleOutcome | undefined): boolean {
  return outcome === 'planned' || outcome === 'sampled_out'
}

function shareOf(n: number, of: number) {
  return { share: of === 0 ? null : n / of, n, interval: wilsonInterval(n, of) }
}

/** The rate as it is said is closer to the truth than what a small sample made of it. */
function expectedOf([rule]: readonly ResolvedRule[], seen: Seen, decisionsPerDay: number) {
  const { charactersPerDecision, matched } = seen
  const perDay = decisionsPerDay * (matched.share ?? 0) * (rule?.sampling.rate ?? 0)
  return { callsPerDay: Math.round(perDay * 1000) / 1000, charactersPerDecision }
}

/** Of an organization that began of late, only the days that it has been there for. */
function daysSince(since: Date | null, to: Date): number {
  const passed = since === null ? days : (to.getTime() - since.getTime()) / dayMs
  return Math.min(days, Math.max(passed, 1 / hoursPerDay))
}

function basis(n: number, daysSeen: number): string[] {
  const hours = Math.round(daysSeen * hoursPerDay)
  const young = `the first decision came within ${hours} h, and a day is reckoned from these`
  const sample = n === sampleMax ? [`the newest ${n} decisions stand for all of these days`] : []
  return [
    ...sample,
    ...(daysSeen < days ? [young] : []),
    `metadata of more than ${metadataBytesMax} bytes is not looked at`
  ]
}
