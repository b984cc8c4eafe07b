/** Token limits: one that stands in the request, or one of the numbers people usually set. */
import type { Decision } from '../../core/decision/decision.ts'

const usualLimits = new Set(
  [
    [64, 100, 128, 150, 200, 250, 256, 300, 400, 500, 512, 600, 700, 750, 800, 1000, 1024],
    [1200, 1500, 1536, 2000, 2048, 2500, 3000, 3072, 4000, 4095, 4096, 5000, 6000, 8000, 8191],
    [8192, 10_000, 12_000, 16_000, 16_383, 16_384, 20_000, 32_000, 32_768, 64_000, 65_536]
  ].flat()
)
const textCharactersMax = 16_384
/** Within a text inside the JSON its quotes would be escaped, so that only parameters match. */
const setLimit =
  /"max_?(?:output_|completion_|new_|Output|Completion|New)?_?[tT]okens"\s{0,4}:\s{0,4}(\d{1,7})\b/

/** The limit that the output has reached exactly, or null. */
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
