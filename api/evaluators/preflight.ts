/** Tests a judge before it is saved, with one call to its model and an optional self-test, which
 * attacks the judge.
 */
import type { EvaluatorDraft } from '../../core/evaluation/evaluator-definition.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import type { SessionPrincipal } from '../../core/principal.ts'
import { configHashOf } from '../../evaluators/config-hash.ts'
import type { JudgeConfig } from '../../evaluators/judge/judge-config.ts'
import { selfTest } from '../../evaluators/judge/self-test.ts'
import type { SelfTest } from '../../evaluators/judge/self-test.ts'
import type { JudgeClient } from '../../platform/llm/judge-client.ts'
import { invalidBody } from '../configuration/problems.ts'
import type { OrganizationRows } from '../configuration/with-organization-lock.ts'
import { readConnections } from '../connections/queries.ts'
import { openJudge, testModel } from '../connections/test-model.ts'
import type { Services } from '../services.ts'
import type { EvaluatorChange } from './schemas.ts'

/** Time limit of the preflight in milliseconds. If it is exceeded, the evaluator is not saved. */
const preflightTimeoutMs = 120_000

/**
 * @returns the self-test report; null if the evaluator is not a judge or no self-test ran
 * @throws {Problem} 422 if the connection does not exist, the call fails, or the self-test exceeds
 * the time limit; 409 if the API key of the connection cannot be decrypted
 */
export async function preflight(
  services: Services,
  draft: EvaluatorDraft,
  call: { principal: SessionPrincipal; body: EvaluatorChange; signal: AbortSignal }
): Promise<SelfTest | null> {
  if (draft.kind !== 'llm_judge') return null
  const ours = services.store.of(call.principal.organization_id)
  const client = await openClient(services, ours, draft)
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(preflightTimeoutMs)])
  const { model } = judgeConfigOf(draft)
  const { ok, status_reason, message } = await testModel(client, model, signal)
  if (ok) return call.body.self_test === false ? null : attack(draft, client, signal)
  const member = status_reason === 'model_unavailable' ? 'model' : 'connection_id'
  const detail = `does not work: ${message ?? 'no reason given'}`
  throw invalidBody([{ pointer: `/config/${member}`, detail }])
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
    const detail = 'is too slow for the self-test; send "self_test": false to skip it'
    throw invalidBody([{ pointer: '/config/model', detail }])
  }
}

/**
 * Opens the client of a judge.
 * @throws {Problem} 422 if the judge's connection does not exist; 409 if the API key of the
 * connection cannot be decrypted
 */
export async function openClient(
  services: Services,
  ours: OrganizationRows,
  draft: EvaluatorDraft
): Promise<JudgeClient> {
  return openJudge(services, ours.organizationId, await requireConnection(ours, draft))
}

/** @throws {Problem} 422 if the judge's connection does not exist */
export async function requireConnection(ours: OrganizationRows, draft: EvaluatorDraft) {
  const id = judgeConfigOf(draft).connection_id
  const connection = (await readConnections(ours)).find(({ connection_id }) => connection_id === id)
  if (connection !== undefined) return connection
  const detail = 'is not a connection of your organization'
  throw invalidBody([{ pointer: '/config/connection_id', detail }])
}

/** Returns the configuration of a validated evaluator whose kind is `llm_judge`. */
export function judgeConfigOf({ config }: EvaluatorDraft) {
  return config as unknown as JudgeConfig
}

/** Converts a draft to a version for tests, with placeholder values for its id and number. */
export function unsaved(draft: EvaluatorDraft): EvaluatorVersion {
  return { ...draft, evaluator_id: 'draft', version: 0, config_hash: configHashOf(draft) }
}
