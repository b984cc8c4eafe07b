/** Before a judge is saved: whether it can be asked at all, and whether it can be talked over. */
import type {
  EvaluatorDraft,
  EvaluatorVersion
} from '../../core/evaluation/evaluator-definition.ts'
import type { Violation } from '../../core/problem.ts'
import { configHashOf } from '../../evaluators/config-hash.ts'
import type { JudgeConfig } from '../../evaluators/judge/judge-config.ts'
import { selfTest } from '../../evaluators/judge/self-test.ts'
import type { SelfTest } from '../../evaluators/judge/self-test.ts'
import type { JudgeClient } from '../../platform/llm/judge-client.ts'
import { invalidBody } from '../configuration/refusals.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'
import { readConnection } from '../connections/connection-rows.ts'
import type { OpenJudge } from '../connections/open-judge.ts'
import { tryModel } from '../connections/test-connection.ts'
import type { ConnectionOutcome } from '../connections/test-connection.ts'

export interface PreflightOptions {
  /** Whether it is attacked as well. */
  readonly isAttacked: boolean
  readonly signal: AbortSignal
}

/**
 * @returns what the attacks came to; null for other kinds, and where nobody asked for them
 * @throws {Problem} 422 when the connection is not there, or one call does not work
 */
export type Preflight = (
  ours: OrganizationRows,
  draft: EvaluatorDraft,
  options: PreflightOptions
) => Promise<SelfTest | null>

/** A save that takes longer is given up. */
const preflightTimeoutMs = 120_000

export function createPreflight(openJudge: OpenJudge): Preflight {
  return async function preflight(ours, draft, { isAttacked, signal }) {
    if (draft.kind !== 'llm_judge') return null
    const client = await openClient(openJudge, ours, draft)
    const limited = AbortSignal.any([signal, AbortSignal.timeout(preflightTimeoutMs)])
    const { model } = draft.config as unknown as JudgeConfig
    const outcome = await tryModel(client, model, limited)
    if (!outcome.ok) throw invalidBody([violationOf(outcome)])
    return isAttacked ? attack(draft, client, limited) : null
  }
}

async function attack(
  draft: EvaluatorDraft,
  client: JudgeClient,
  signal: AbortSignal
): Promise<SelfTest> {
  try {
    return await selfTest(unsaved(draft), client, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
    const detail = 'is too slow to be tested while it is saved; send "self_test": false'
    throw invalidBody([{ pointer: '/config/model', detail }])
  }
}

/** @throws {Problem} 422 when the connection that it names does not exist */
export async function openClient(
  openJudge: OpenJudge,
  ours: OrganizationRows,
  draft: EvaluatorDraft
): Promise<JudgeClient> {
  const { connection_id } = draft.config as unknown as JudgeConfig
  const connection = await readConnection(ours, connection_id)
  if (connection === null) throw invalidBody([noConnection])
  return openJudge(ours.organizationId, connection)
}

/** @throws {Problem} 422 when the connection was deleted since */
export async function refuseLostConnection(
  ours: OrganizationRows,
  { kind, config }: EvaluatorDraft
): Promise<void> {
  if (kind !== 'llm_judge') return
  const { connection_id } = config as unknown as JudgeConfig
  if ((await readConnection(ours, connection_id)) === null) throw invalidBody([noConnection])
}

const noConnection: Violation = {
  pointer: '/config/connection_id',
  detail: 'names no connection of yours'
}

function violationOf({ status_reason, message }: ConnectionOutcome): Violation {
  const isModel = status_reason === 'model_unavailable'
  const pointer = isModel ? '/config/model' : '/config/connection_id'
  return { pointer, detail: `does not work: ${message ?? 'it gives no reason'}` }
}

/** As it would be saved. */
export function unsaved(draft: EvaluatorDraft): EvaluatorVersion {
  return { ...draft, evaluator_id: 'draft', version: 0, config_hash: configHashOf(draft) }
}
