/** Previews a rule on the decisions of the last seven days: how many match, and what its runs would
 * cost.
 */
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { wilsonInterval } from '../../core/evaluation/interval.ts'
import type { ResolvedRule, Rule } from '../../core/evaluation/rule.ts'
import { addUsd, usdOf } from '../../core/evaluation/usd.ts'
import type { JudgeConfig } from '../../evaluators/judge/judge-config.ts'
import { costNanoUsd } from '../../evaluators/judge/price.ts'
import { createPromptWriter } from '../../evaluators/judge/prompt.ts'
import { createPlanRules } from '../../evaluators/planning/plan-rules.ts'
import { yieldToEventLoop } from '../../platform/process/yield-to-event-loop.ts'
import type { OrganizationRows } from '../configuration/with-organization-lock.ts'
import { readConnections } from '../connections/queries.ts'
import { judgeConfigOf } from '../evaluators/preflight.ts'
import { countDecisions, metadataBytesMax, readRecent, sampleMax } from './queries.ts'
import { resolve } from './save-rule.ts'

const days = 7
const dayMs = 86_400_000
const hoursPerDay = 24
const examplesMax = 5

/** Average number of characters per token in English. Other languages average fewer characters. */
const charactersPerToken = 4
/** Average number of characters per token in schemas and random delimiters. */
const frameCharactersPerToken = 3
/** Assumed number of output tokens per call: an answer with its reasoning. */
const outputTokens = 300

/** @param spend is called after each decision with its compute time in milliseconds */
export async function previewRule(
  ours: OrganizationRows,
  draft: Rule,
  { to, spend }: { readonly to: Date; readonly spend: (ms: number) => void }
) {
  const [rule] = (await resolve(ours, [draft])) as [ResolvedRule]
  const from = new Date(to.getTime() - days * dayMs)
  const { decisions, since } = await countDecisions(ours, { from, to })
  const daysSeen = daysSince(since, to)
  const recent = await readRecent(ours, { from, to })
  const seen = await planSample(rule, recent, spend)
  const share = seen.matched.share ?? 0
  // The sampling rate of the rule is more accurate than the rate in a small sample.
  const matchesPerDay = (decisions / daysSeen) * share * rule.sampling.rate
  const callsPerDay = Math.round(matchesPerDay * 1000) / 1000
  const { charactersPerDecision, ...counts } = seen
  const judges = rule.evaluators.filter(({ kind }) => kind === 'llm_judge')
  const expected = { callsPerDay, charactersPerDecision }
  const { usd_per_day, assumes } = await estimateCost(ours, judges, expected)
  return {
    from,
    to,
    decisions,
    sampled_decisions: { n: recent.length },
    matched_7d: Math.round(decisions * share),
    est_runs_per_day: callsPerDay * rule.evaluators.length,
    est_usd_per_day: usd_per_day,
    assumes: [...basis(recent.length, daysSeen), ...assumes],
    ...counts
  }
}

/**
 * Plans the sample with the planner that evaluation uses. Charges the compute time, because tenants
 * can write slow rules.
 */
async function planSample(
  rule: ResolvedRule,
  recent: Awaited<ReturnType<typeof readRecent>>,
  spend: (ms: number) => void
) {
  const planRules = createPlanRules({ version: 0, rules: [rule] })
  const outcomes: ((typeof recent)[number] & { readonly outcome: string })[] = []
  for (const each of recent) {
    await yieldToEventLoop()
    const startedAt = performance.now()
    outcomes.push({ ...each, outcome: planRules(each.decision)[0] ?? 'disabled' })
    spend(performance.now() - startedAt)
  }
  const taken = outcomes.filter(({ outcome }) => outcome === 'planned')
  const others = outcomes.filter(({ outcome }) => outcome !== 'planned')
  const matched = [...taken, ...others.filter(({ outcome }) => outcome === 'sampled_out')]
  const n = matched.length
  const characters = matched.reduce((sum, each) => sum + each.characters, 0)
  const reasons = Map.groupBy(others, ({ outcome }) => outcome)
  return {
    matched: {
      share: recent.length === 0 ? null : n / recent.length,
      n,
      interval: wilsonInterval(n, recent.length)
    },
    examples: taken.slice(0, examplesMax).map(({ decision }) => decision.decision_id),
    not_matched_by: Object.fromEntries([...reasons].map(([why, { length }]) => [why, length])),
    /** Mean number of characters of the matching decisions; 0 if none match. */
    charactersPerDecision: n === 0 ? 0 : characters / n
  }
}

/**
 * Returns the number of days to average over. For a new organization, this is the time since its
 * first decision.
 */
function daysSince(since: Date | null, to: Date): number {
  const passed = since === null ? days : (to.getTime() - since.getTime()) / dayMs
  return Math.min(days, Math.max(passed, 1 / hoursPerDay))
}

function basis(n: number, daysSeen: number): string[] {
  const hours = Math.round(daysSeen * hoursPerDay)
  const young = `the first decision is ${hours} h old; the numbers per day are based on this time`
  const sample = n === sampleMax ? [`the newest ${n} decisions represent the whole period`] : []
  return [
    ...sample,
    ...(daysSeen < days ? [young] : []),
    `metadata larger than ${metadataBytesMax} bytes is ignored`
  ]
}

/** Estimates what judges cost per day, and lists the assumptions. */
async function estimateCost(
  ours: OrganizationRows,
  judges: readonly EvaluatorVersion[],
  { callsPerDay, charactersPerDecision }: { callsPerDay: number; charactersPerDecision: number }
) {
  const connections = judges.length === 0 ? [] : await readConnections(ours)
  const content = charactersPerDecision / charactersPerToken
  const estimates = judges.map((version) => {
    const judge = judgeConfigOf(version)
    const { connection_id, model } = judge
    const connection = connections.find((each) => each.connection_id === connection_id)
    const price = connection?.models.find((each) => each.model === model)
    const input_tokens = Math.ceil(frameTokensOf(judge) + content)
    const cost = costNanoUsd(price, { input_tokens, output_tokens: outputTokens })
    const { name } = version
    if (cost === null) return { usd: null, assumed: `${name}: the price of ${model} is unknown` }
    const assumed = `${name}: ${input_tokens} input and ${outputTokens} output tokens per call`
    return { usd: usdOf(Math.round(cost * callsPerDay)), assumed }
  })
  return {
    /** Null if the price of a model is unknown. */
    usd_per_day: estimates.reduce<number | null>(
      (sum, { usd }) => (sum === null || usd === null ? null : addUsd(sum, usd)),
      0
    ),
    assumes: estimates.map(({ assumed }) => assumed)
  }
}

/**
 * Estimates the number of input tokens per call, excluding the decision. Includes the response
 * schema, which is sent with every call.
 */
export function frameTokensOf(judge: JudgeConfig): number {
  const { frameCharacters, schema } = createPromptWriter(judge)
  return (frameCharacters + JSON.stringify(schema).length) / frameCharactersPerToken
}
