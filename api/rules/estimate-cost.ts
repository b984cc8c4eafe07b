/** What a day of a rule's judges would cost, and what that rests on. */
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { addUsd, usdOf } from '../../core/evaluation/usd.ts'
import type { JudgeConfig } from '../../evaluators/judge/judge-config.ts'
import { createPromptWriter } from '../../evaluators/judge/prompt.ts'
import { costNanoUsd } from '../../evaluators/judge/price.ts'
import type { ModelPrice } from '../../platform/llm/judge-client.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'
import { readConnections } from '../connections/connection-rows.ts'

export interface CostEstimate {
  /** Null when a price is not known. */
  readonly usd_per_day: number | null
  readonly assumes: readonly string[]
}

export interface Expected {
  readonly callsPerDay: number
  /** Of the decisions that it would judge, on average. */
  readonly charactersPerDecision: number
}

/** Usual for English; other languages take more tokens. */
const charactersPerToken = 4
/** Of schemas and random marks, which take more. */
const frameCharactersPerToken = 3
/** Of an answer with its reasoning. */
const outputTokens = 300

export async function estimateCost(
  ours: OrganizationRows,
  evaluators: readonly EvaluatorVersion[],
  expected: Expected
): Promise<CostEstimate> {
  const judges = evaluators.filter(({ kind }) => kind === 'llm_judge')
  if (judges.length === 0) return { usd_per_day: 0, assumes: [] }
  const connections = await readConnections(ours)
  const estimates = judges.map((version) => {
    const { connection_id, model } = version.config as unknown as JudgeConfig
    const connection = connections.find((each) => each.connection_id === connection_id)
    const price = connection?.models.find((each) => each.model === model)
    return estimateOf(version, price, expected)
  })
  const usd = estimates.map(({ usd_per_day }) => usd_per_day)
  return {
    usd_per_day: usd.includes(null)
      ? null
      : usd.reduce<number>((sum, one) => addUsd(sum, one ?? 0), 0),
    assumes: estimates.flatMap(({ assumes }) => assumes)
  }
}

/** What each call says around the content; the schema of the reply is sent beside it once more. */
export function frameTokensOf(judge: JudgeConfig): number {
  const { frameCharacters, schema } = createPromptWriter(judge)
  return (frameCharacters + JSON.stringify(schema).length) / frameCharactersPerToken
}

function estimateOf(
  { name, config }: EvaluatorVersion,
  price: ModelPrice | undefined,
  { callsPerDay, charactersPerDecision }: Expected
): CostEstimate {
  const judge = config as unknown as JudgeConfig
  const { model } = judge
  const content = charactersPerDecision / charactersPerToken
  const input_tokens = Math.ceil(frameTokensOf(judge) + content)
  const cost = costNanoUsd(price, { input_tokens, output_tokens: outputTokens })
  if (cost === null) {
    return { usd_per_day: null, assumes: [`${name}: the price of ${model} is not known`] }
  }
  const assumed = `${name}: ${input_tokens} tokens in and ${outputTokens} out for each call`
  return { usd_per_day: usdOf(Math.round(cost * callsPerDay)), assumes: [assumed] }
}
