/** Creates LLM judges that call a local judge server through the real client. */
import type {
  EvaluatorVersion,
  ScoreDefinition
} from '../../core/evaluation/evaluator-definition.ts'
import type { JudgeConfig, JudgeScale } from '../../evaluators/judge/judge-config.ts'
import { completeDraft } from '../../evaluators/complete-draft.ts'
import { systemClock } from '../../platform/process/clock.ts'
import { createJudgeClient } from '../../platform/llm/judge-client.ts'
import type { JudgeClient, ModelPrice } from '../../platform/llm/judge-client.ts'
import { createOutbound } from '../../platform/http-client/outbound.ts'
import { onEnd } from './cleanup.ts'
import { startJudgeServer } from './judge-server.ts'
import type { JudgeServer, JudgeServerOptions } from './judge-server.ts'

export const rubric: JudgeScale = { type: 'rubric', min: 1, max: 5 }
export const choice: JudgeScale = {
  type: 'choice',
  labels: { compliant: 1, partly: 0.5, violation: 0 }
}

export function aJudgeConfig(overrides: Partial<JudgeConfig> = {}): JudgeConfig {
  return {
    connection_id: `con_${'0'.repeat(32)}`,
    model: 'grader',
    prompt: 'The question: {{input}}\nThe answer: {{output}}\nDoes the answer help?',
    scale: rubric,
    ...overrides
  }
}

/** Returns a judge version. By default, the score uses the rubric's scale. */
export function aJudge(
  config: Partial<JudgeConfig> = {},
  output: Partial<ScoreDefinition> = {}
): EvaluatorVersion {
  const draft = completeDraft({
    name: 'helpful',
    kind: 'llm_judge',
    config: { ...aJudgeConfig(config) },
    output,
    timeout_ms: 10_000
  })
  return {
    ...draft,
    evaluator_id: `evl_${'0'.repeat(32)}`,
    version: 1,
    config_hash: `sha256:${'0'.repeat(64)}`
  }
}

export interface StartedJudge {
  readonly server: JudgeServer
  readonly client: JudgeClient
}

export const prices: readonly ModelPrice[] = [
  { model: 'grader', usd_per_million_input: 0.15, usd_per_million_output: 0.6 }
]

export async function startJudge(options: JudgeServerOptions = {}): Promise<StartedJudge> {
  const server = await startJudgeServer(options)
  onEnd(() => server.close())
  const outbound = createOutbound({ privateAddressesAllowed: true })
  onEnd(() => outbound.close())
  const connection = { base_url: server.baseUrl, api_key: 'sk-secret', models: prices }
  const dependencies = { fetch: outbound.fetch, clock: systemClock }
  return { server, client: createJudgeClient(connection, dependencies) }
}
