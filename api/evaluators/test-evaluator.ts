/** Tests an evaluator on decisions without storing the results: returns each score and its cost. */
import type { Decision } from '../../core/decision/decision.ts'
import { isOfflineKind } from '../../core/evaluation/evaluator-definition.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { addUsd, usdOf } from '../../core/evaluation/usd.ts'
import type { SessionPrincipal } from '../../core/principal.ts'
import type { Finding } from '../../evaluators/evaluator.ts'
import { judge } from '../../evaluators/judge/judge.ts'
import { scoreOf } from '../../evaluators/score-of.ts'
import type { JudgeClient } from '../../platform/llm/judge-client.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import { createAtMost } from '../../platform/process/at-most.ts'
import { invalidBody } from '../configuration/problems.ts'
import { selectDecision } from '../decisions/queries.ts'
import type { DecisionRow } from '../decisions/queries.ts'
import type { Services } from '../services.ts'
import type { OrganizationStore } from '../store.ts'
import { openClient } from './preflight.ts'
import { testItemsMax } from './schemas.ts'
import type { EvaluatorTestResult, Subjects } from './schemas.ts'
import type { TenantCompute } from './tenant-compute.ts'

const callsAtOnce = 4
const testTimeoutMs = 60_000
const sampleDays = 7

/**
 * Runs the evaluator on each decision, and returns the results in the order of the decisions. A
 * timeout on one decision does not affect the others, except that all calls of a judge share the
 * time limit of the test.
 * @param call the request; its body names the decisions
 */
export async function testEvaluator(
  services: Services,
  version: EvaluatorVersion,
  call: { principal: SessionPrincipal; body: Subjects; signal: AbortSignal }
) {
  const ours = services.store.of(call.principal.organization_id)
  const tryEvaluator = await createTry(services, ours, { version, signal: call.signal })
  const items = await testItemsOf(ours, call.body, services.clock.now())
  const atMost = createAtMost(callsAtOnce)
  const results = await Promise.all(
    items.map(({ decision_id, read }) =>
      atMost(async (): Promise<EvaluatorTestResult> => {
        const decision = await read()
        if (decision !== null) return { decision_id, ...(await tryEvaluator(decision)) }
        const status_reason = 'decision_not_found'
        return { decision_id, status: 'skipped', ...nothing, status_reason }
      })
    )
  )
  return { results, usage: totalUsage(results) }
}

/**
 * Returns the decisions to test an evaluator on. Each is read only when needed, because a decision
 * can be several megabytes; `read` returns null if the decision does not exist.
 * @param now milliseconds since 1970
 */
async function testItemsOf(
  ours: OrganizationStore,
  { decision_ids, sample, inline }: Subjects,
  now: number
) {
  if (inline !== undefined) {
    const decision = inlineDecisionOf(ours.organizationId, inline, now)
    return [{ decision_id: null, read: () => Promise.resolve(decision) }]
  }
  const ids = decision_ids ?? (await readRecentIds(ours, sample?.n ?? testItemsMax))
  return [...new Set(ids.map((id) => id.toLowerCase()))].map((decision_id) => ({
    decision_id,
    read: () => readStored(ours, decision_id)
  }))
}

async function readRecentIds(ours: OrganizationStore, n: number): Promise<string[]> {
  const rows = await query<{ decision_id: string }>(
    ours,
    sql`select decision_id from decisions
         where organization_id = ${ours.organizationId}
           and received_at >= now() - make_interval(days => ${sampleDays})
         order by received_at desc, decision_id desc
         limit ${n}`
  )
  return rows.map(({ decision_id }) => decision_id)
}

async function readStored(ours: OrganizationStore, decisionId: string): Promise<Decision | null> {
  const row = await selectDecision(ours, decisionId)
  return row === null ? null : storedDecisionOf(ours.organizationId, row)
}

function storedDecisionOf(
  organization_id: string,
  { stored_at: _, received_at, ...members }: DecisionRow
): Decision {
  const output = JSON.parse(members.output) as string
  return { ...members, output, organization_id, received_at: received_at.getTime() }
}

function inlineDecisionOf(
  organization_id: string,
  { input, metadata = null, ...members }: NonNullable<Subjects['inline']>,
  received_at: number
): Decision {
  return {
    decision_id: '00000000-0000-0000-0000-000000000000',
    organization_id,
    received_at,
    agent_id: null,
    session_id: null,
    domain: null,
    input_tokens: null,
    output_tokens: null,
    ...members,
    input: JSON.stringify(input),
    metadata: metadata === null ? null : JSON.stringify(metadata),
    sdk_version: null
  }
}

type TrialOutcome = Omit<EvaluatorTestResult, 'decision_id'>

const nothing = {
  status_reason: null,
  score: null,
  duration_ms: 0,
  error: null,
  usage: null
} as const

/** Returns the function that runs the evaluator on a decision. */
async function createTry(
  services: Services,
  ours: OrganizationStore,
  { version, signal }: { version: EvaluatorVersion; signal: AbortSignal }
): Promise<(decision: Decision) => Promise<TrialOutcome>> {
  if (isOfflineKind(version.kind)) {
    return (decision) => tryOffline(services.compute, version, decision)
  }
  if (version.kind !== 'llm_judge') {
    const detail = 'is external: clients send its scores, so there is nothing to test'
    throw invalidBody([{ pointer: '', detail }])
  }
  const client = await openClient(services, ours, version)
  const limited = AbortSignal.any([signal, AbortSignal.timeout(testTimeoutMs)])
  return (decision) => tryJudge(version, decision, { client, signal: limited })
}

/** Runs an evaluator that needs no network. */
async function tryOffline(
  compute: TenantCompute,
  version: EvaluatorVersion,
  decision: Decision
): Promise<TrialOutcome> {
  const tried = await compute.try(version, decision)
  const duration_ms = tried.duration_us / 1000
  if (tried.status === 'succeeded') {
    const score = shownScore(version, tried.finding)
    return { status: 'succeeded', ...nothing, score, duration_ms }
  }
  const { status, status_reason } = tried
  return { status, ...nothing, status_reason, duration_ms }
}

async function tryJudge(
  version: EvaluatorVersion,
  decision: Decision,
  limits: { client: JudgeClient; signal: AbortSignal }
): Promise<TrialOutcome> {
  try {
    return outcomeOf(version, await judge(version, decision, limits))
  } catch (cause) {
    if (!limits.signal.aborted) throw cause
    const error = 'the other decisions used up the time limit of the test'
    return { status: 'failed', ...nothing, status_reason: 'timeout', error }
  }
}

function outcomeOf(
  version: EvaluatorVersion,
  judgement: Awaited<ReturnType<typeof judge>>
): TrialOutcome {
  const { outcome, usage: tokens, cost_nano_usd, calls, latency_ms: duration_ms } = judgement
  const usd = cost_nano_usd === null ? null : usdOf(cost_nano_usd)
  const usage = { calls, ...tokens, usd }
  if (outcome.kind === 'finding') {
    const score = shownScore(version, outcome)
    return { status: 'succeeded', ...nothing, score, duration_ms, usage }
  }
  const { status_reason } = outcome
  if (outcome.kind === 'skipped') {
    return { status: 'skipped', ...nothing, status_reason, duration_ms, usage }
  }
  const error = outcome.message
  return { status: 'failed', ...nothing, status_reason, duration_ms, error, usage }
}

/** Returns the score as it would be stored, without ids. */
function shownScore({ output }: EvaluatorVersion, finding: Finding): object {
  const { name, data_type, value, label, passed, reason, ...score } = scoreOf('', output, finding)
  const { normalized, confidence, evidence: text } = score
  const evidence = text === null ? null : (JSON.parse(text) as unknown)
  return { name, data_type, value, label, passed, reason, normalized, confidence, evidence }
}

/** Sums the usage of all items. A sum is null if any of its values is unknown. */
function totalUsage(results: readonly EvaluatorTestResult[]) {
  const used = results.flatMap(({ usage }) => usage ?? [])
  const sumOf = (name: 'input_tokens' | 'output_tokens' | 'usd') =>
    used.reduce<number | null>((sum, usage) => {
      const part = usage[name]
      if (sum === null || part === null) return null
      return name === 'usd' ? addUsd(sum, part) : sum + part
    }, 0)
  return {
    calls: used.reduce((sum, { calls }) => sum + calls, 0),
    input_tokens: sumOf('input_tokens'),
    output_tokens: sumOf('output_tokens'),
    usd: sumOf('usd')
  }
}
