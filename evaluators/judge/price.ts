/** Computes the cost of a judgement in billionths of a US dollar. */
import type { ModelPrice } from '../../platform/llm/judge-client.ts'

export interface TokenUsage {
  readonly input_tokens: number | null
  readonly output_tokens: number | null
}

/** Billionths of a dollar per token at a price of one dollar per million tokens. */
const nanoUsdPerToken = 1000
/**
 * Maximum cost, $10,000. A larger cost is implausible and counts as unknown, because sums of such
 * costs would overflow their columns.
 */
const costNanoUsdMax = 10_000 * 1e9

/**
 * Returns the cost, or null if it is unknown. Rounds up, so that a call with a cost never counts as
 * free.
 */
export function costNanoUsd(price: ModelPrice | undefined, usage: TokenUsage): number | null {
  const { input_tokens: input, output_tokens: output } = usage
  const perInput = price?.usd_per_million_input ?? null
  const perOutput = price?.usd_per_million_output ?? null
  if (perInput === null || perOutput === null || input === null || output === null) return null
  const exact = (input * perInput + output * perOutput) * nanoUsdPerToken
  // Rounds to three decimal places first. Otherwise, a floating-point error would round a whole
  // number up.
  const cost = Math.ceil(Number(exact.toFixed(3)))
  return cost > costNanoUsdMax ? null : cost
}

/** Adds the usage of two calls. A sum is null if one of its counts is null. */
export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    input_tokens: sumOf(one.input_tokens, other.input_tokens),
    output_tokens: sumOf(one.output_tokens, other.output_tokens)
  }
}

function sumOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other
}
