/** What a judgement costs, in billionths of a US dollar: null when it cannot be known. */
import type { ModelPrice } from '../../platform/llm/judge-client.ts'

export interface TokenUsage {
  readonly input_tokens: number | null
  readonly output_tokens: number | null
}

/** A dollar for a million tokens is a thousand billionths for each. */
const nanoUsdPerToken = 1000
/** $10,000: no call costs that, and sums of what is made up would not fit their columns. */
const costNanoUsdMax = 10_000 * 1e9

/** Rounded up, so that what costs anything never costs nothing. */
export function costNanoUsd(price: ModelPrice | undefined, usage: TokenUsage): number | null {
  const { input_tokens: input, output_tokens: output } = usage
  const perInput = price?.usd_per_million_input ?? null
  const perOutput = price?.usd_per_million_output ?? null
  if (perInput === null || perOutput === null || input === null || output === null) return null
  const exact = (input * perInput + output * perOutput) * nanoUsdPerToken
  // What binary fractions add must not round a whole number up.
  const cost = Math.ceil(Number(exact.toFixed(3)))
  return cost > costNanoUsdMax ? null : cost
}

/** Of several calls: what one of them does not say is not known of all. */
export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    input_tokens: sumOf(one.input_tokens, other.input_tokens),
    output_tokens: sumOf(one.output_tokens, other.output_tokens)
  }
}

function sumOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other
}
