/** Calls the judge of a run through its connection, and converts the judgement to an outcome. */
import type { Clock } from '../../../core/clock.ts'
import type { EvaluatorVersion } from '../../../core/evaluation/evaluator-definition.ts'
import { judge } from '../../../evaluators/judge/judge.ts'
import type { Judgement } from '../../../evaluators/judge/judge.ts'
import { scoreOf } from '../../../evaluators/score-of.ts'
import { createCache } from '../../../platform/process/cache.ts'
import { createJudgeClient } from '../../../platform/llm/judge-client.ts'
import type { JudgeClient, ModelPrice } from '../../../platform/llm/judge-client.ts'
import type { Fetch } from '../../../platform/http-client/outbound.ts'
import { SealError, secretContextOf } from '../../../platform/security/sealed-secret.ts'
import type { Sealer } from '../../../platform/security/sealed-secret.ts'
import { noCall } from './judge-outcome.ts'
import type { Judge, ConnectionToCall, JudgeOutcome } from './judge-outcome.ts'

interface AskJudgeDependencies {
  /** Null if SECRETS_KEY is not set. */
  readonly sealer: Sealer | null
  readonly fetch: Fetch
  readonly clock: Clock
}

const clientsMax = 1000

export function createAskJudge(dependencies: AskJudgeDependencies): Judge {
  const openClient = createOpenClient(dependencies)
  return async function askJudge({ run_id, version, decision, connection, signal }) {
    try {
      const client = openClient(connection)
      return outcomeOf(run_id, version, await judge(version, decision, { client, run_id, signal }))
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      return sealOutcome(error)
    }
  }
}

/**
 * Caches one client per version of a connection, because a client remembers which features the
 * server supports.
 */
function createOpenClient({ sealer, fetch, clock }: AskJudgeDependencies) {
  const clients = createCache<JudgeClient>(clientsMax)
  return function openClient(connection: ConnectionToCall): JudgeClient {
    const { organization_id, connection_id, base_url, updated_at } = connection
    const name = `${organization_id}/${connection_id}/${updated_at.getTime()}`
    const known = clients.get(name)
    if (known !== undefined) return known
    const models = JSON.parse(connection.models) as ModelPrice[]
    const api_key = openKey(sealer, connection)
    const made = createJudgeClient({ base_url, api_key, models }, { fetch, clock })
    clients.set(name, made)
    return made
  }
}

/** @throws {SealError} if the API key cannot be decrypted */
function openKey(sealer: Sealer | null, connection: ConnectionToCall): string | null {
  const { organization_id, connection_id, api_key_sealed } = connection
  if (api_key_sealed === null) return null
  if (sealer === null) throw new SealError('SECRETS_KEY is not set')
  return sealer.open(api_key_sealed, secretContextOf(organization_id, connection_id))
}

/**
 * Returns a failure that blocks all runs of the connection, because they would all fail until a new
 * API key is set.
 */
function sealOutcome({ message }: SealError): JudgeOutcome {
  const terms = { retryable: true, blocks: true, retryAfterMs: null, http_status: null }
  const said = `cannot decrypt the API key of the connection: ${message}`
  return {
    result: { kind: 'failure', status_reason: 'provider_auth', ...terms, message: said },
    report: noCall
  }
}

function outcomeOf(runId: string, version: EvaluatorVersion, judgement: Judgement): JudgeOutcome {
  const { outcome, usage, calls, cost_nano_usd, model, model_reported } = judgement
  const { latency_ms, reply } = judgement
  const report = { ...usage, calls, cost_nano_usd, model, model_reported, latency_ms, reply }
  if (outcome.kind !== 'finding') return { result: outcome, report }
  const scores = [scoreOf(runId, version.output, outcome)]
  return { result: { kind: 'scored', scores }, report }
}
