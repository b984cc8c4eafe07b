/** POST …/evaluators/test and …/evaluators/{id}/test: tried on decisions, and nothing stored. */
import type { Clock } from '../../core/clock.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { jsonReply } from '../../http/call.ts'
import type { Reply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { existing, invalidBody } from '../configuration/refusals.ts'
import type { OpenJudge } from '../connections/open-judge.ts'
import type { OrganizationStore, Store } from '../store.ts'
import { checkedDraftOf } from './evaluator-draft.ts'
import type { EvaluatorBody } from './evaluator-draft.ts'
import { readEvaluator, readVersion } from './evaluator-rows.ts'
import { openClient, unsaved } from './preflight.ts'
import type { TenantCompute } from './tenant-compute.ts'
import { testItemsOf } from './test-items.ts'
import type { TestBody } from './test-items.ts'
import { createTryJudge, createTryOffline, isTriable } from './try-evaluator.ts'
import { totalUsage, tryItems, tryTimeoutMs } from './try-evaluator.ts'
import type { TryEvaluator } from './try-evaluator.ts'

export interface TestEvaluatorsDependencies {
  readonly store: Store
  readonly clock: Clock
  readonly openJudge: OpenJudge
  readonly compute: TenantCompute
}

interface Trial {
  readonly ours: OrganizationStore
  readonly version: EvaluatorVersion
  readonly body: TestBody
  readonly signal: AbortSignal
}

export function createTestEvaluators(dependencies: TestEvaluatorsDependencies) {
  const { store, clock, openJudge, compute } = dependencies

  const testEvaluator: SessionHandle = async ({ principal, params, body, signal }) => {
    const id = params['evaluator_id'] ?? ''
    const ours = store.of(principal.organization_id)
    const { version: wanted, ...asked } = body as TestBody & { version?: number }
    const found =
      wanted === undefined ? await readEvaluator(ours, id) : await readVersion(ours, id, wanted)
    const { version } = existing('evaluator', found, id)
    return replyOf({ ours, version, body: asked, signal })
  }

  const testDraft: SessionHandle = async ({ principal, body, signal }) => {
    const { evaluator, ...asked } = body as TestBody & { evaluator: EvaluatorBody }
    const { organization_id: organizationId } = principal
    const ours = store.of(organizationId)
    const drafted = { given: evaluator, place: '/evaluator' }
    const draft = await checkedDraftOf(compute, organizationId, drafted)
    const version = unsaved(draft)
    return replyOf({ ours, version, body: asked, signal })
  }

  async function replyOf(trial: Trial): Promise<Reply> {
    const tryEvaluator = await createTry(trial)
    const items = await testItemsOf(trial.ours, trial.body, clock.now())
    const results = await tryItems(items, tryEvaluator)
    return jsonReply(200, JSON.stringify({ results, usage: totalUsage(results) }))
  }

  async function createTry({ ours, version, signal }: Trial): Promise<TryEvaluator> {
    if (!isTriable(version)) throw invalidBody([notTriable])
    if (version.kind !== 'llm_judge') return createTryOffline(version, compute)
    const client = await openClient(openJudge, ours, version)
    const limited = AbortSignal.any([signal, AbortSignal.timeout(tryTimeoutMs)])
    return createTryJudge(version, client, limited)
  }

  return { testEvaluator, testDraft }
}

const notTriable = {
  pointer: '',
  detail: 'an external evaluator waits for scores that somebody sends: there is nothing to try'
}
