/** Check `token_budget`: fails if the decision used more tokens than a limit allows. */
import { contentMissing, verdict } from '../evaluator.ts'
import { booleanOutput } from '../kind.ts'
import type { Kind } from '../kind.ts'

interface BudgetConfig {
  readonly input_max?: number
  readonly output_max?: number
  readonly total_max?: number
  readonly ratio_max?: number
}

const limits = ['input_max', 'output_max', 'total_max', 'ratio_max'] as const
type Limit = (typeof limits)[number]

const tokens = { type: 'integer', minimum: 0, maximum: 1_000_000_000 } as const

export const tokenBudget: Kind<BudgetConfig> = {
  properties: {
    input_max: tokens,
    output_max: tokens,
    total_max: tokens,
    ratio_max: { type: 'number', exclusiveMinimum: 0, maximum: 1_000_000 }
  },
  isBounded: true,
  outputOf: () => booleanOutput,
  check: (config) => {
    if (limits.some((name) => config[name] !== undefined)) return largerThanTotal(config)
    return [
      {
        pointer: '/total_max',
        detail: `at least one of ${limits.join(', ')} is required`
      }
    ]
  },
  compile: (config) => {
    const set = limits.filter((name) => config[name] !== undefined)
    return ({ decision: { input_tokens: input, output_tokens: output } }) => {
      const counts = set.map((name) => ({ name, count: counted[name](input, output) }))
      const exceeded = counts.find(({ name, count }) => count !== null && count > limitOf(name))
      if (exceeded !== undefined) {
        const { name, count } = exceeded
        return verdict(false, `${names[name]}: ${count}, more than ${limitOf(name)}.`)
      }
      const isUnknown = counts.some(({ count }) => count === null)
      return isUnknown ? contentMissing : verdict(true, 'The token counts are within their limits.')
    }

    function limitOf(name: Limit): number {
      return config[name] ?? Number.POSITIVE_INFINITY
    }
  }
}

type Tokens = number | null

/**
 * Computes the value that each limit bounds, or null if the decision lacks a required token count.
 * The ratio is also null if there are no input tokens.
 */
const counted: Readonly<Record<Limit, (input: Tokens, output: Tokens) => Tokens>> = {
  input_max: (input) => input,
  output_max: (_, output) => output,
  total_max: (input, output) => (input === null || output === null ? null : input + output),
  ratio_max: (input, output) => {
    if (input === null || output === null || input === 0) return null
    return Math.round((output / input) * 1000) / 1000
  }
}

const names: Readonly<Record<Limit, string>> = {
  input_max: 'Input tokens',
  output_max: 'Output tokens',
  total_max: 'Input and output tokens',
  ratio_max: 'Output tokens per input token'
}

/** Rejects limits above `total_max`, because they could never fail a decision on their own. */
function largerThanTotal({ total_max: total, ...config }: BudgetConfig) {
  if (total === undefined) return []
  return (['input_max', 'output_max'] as const)
    .filter((name) => (config[name] ?? 0) > total)
    .map((name) => ({ pointer: `/${name}`, detail: `must be at most total_max (${total})` }))
}
