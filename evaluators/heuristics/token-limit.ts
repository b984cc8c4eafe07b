/** Detects outputs that reached a token limit: the limit set in the request, or else a common one.
 */
import type { Decision } from '../../core/decision/decision.ts'

const usualLimits = new Set(
  [
    [64, 100, 128, 150, 200, 250, 256, 300, 400, 500, 512, 600, 700, 750, 800, 1000, 1024],
    [1200, 1500, 1536, 2000, 2048, 2500, 3000, 3072, 4000, 4095, 4096, 5000, 6000, 8000, 8191],
    [8192, 10_000, 12_000, 16_000, 16_383, 16_384, 20_000, 32_000, 32_768, 64_000, 65_536]
  ].flat()
)
const textCharactersMax = 16_384
/**
 * Matches only parameters, not text about them: within a JSON string, the quotes would be escaped.
 */
const setLimit =
  /"max_?(?:output_|completion_|new_|Output|Completion|New)?_?[tT]okens"\s{0,4}:\s{0,4}(\d{1,7})\b/

/** Returns the limit that the output reached exactly, or null if there is none. */
export function tokenLimitReachedBy(decision: Decision): number | null {
  const { output_tokens, input, metadata } = decision
  if (output_tokens === null) return null
  const limit = limitIn(input) ?? limitIn(metadata ?? '')
  if (limit !== null) return output_tokens === limit ? limit : null
  return usualLimits.has(output_tokens) ? output_tokens : null
}

function limitIn(json: string): number | null {
  const digits = setLimit.exec(json.slice(0, textCharactersMax))?.[1]
  return digits === undefined ? null : Number(digits)
}
