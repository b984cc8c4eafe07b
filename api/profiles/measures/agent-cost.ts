/** What the tokens of an agent cost, as far as the prices of its models are known. */

export interface Price {
  readonly input_usd_per_million: number
  readonly output_usd_per_million: number
}

/** By model; `*` is the price of any other. */
export type Prices = Readonly<Record<string, Price>>

export interface ModelTokens {
  /** Null where the decisions name none. */
  readonly model: string | null
  readonly input_tokens: number
  readonly output_tokens: number
}

export interface Cost {
  readonly usd: number
  /** The part of the tokens whose price is known; the others are not in the sum. */
  readonly priced_share: number
  readonly price_source: 'profile'
}

const million = 1_000_000

/** @returns null where no token has a price: unknown is not free. */
export function costOf(prices: Prices | null, models: readonly ModelTokens[]): Cost | null {
  const known = models.filter(({ model }) => priceOf(prices, model) !== null)
  const total = tokensOf(models)
  const priced = tokensOf(known)
  if (priced === 0) return null
  const usd = known.reduce((sum, each) => sum + usdOf(priceOf(prices, each.model), each), 0)
  return { usd, priced_share: Math.min(1, priced / total), price_source: 'profile' }
}

export function priceOf(prices: Prices | null, model: string | null): Price | null {
  if (prices === null) return null
  const own = model !== null && Object.hasOwn(prices, model) ? prices[model] : undefined
  return own ?? (Object.hasOwn(prices, '*') ? (prices['*'] ?? null) : null)
}

function usdOf(price: Price | null, { input_tokens, output_tokens }: ModelTokens): number {
  if (price === null) return 0
  const { input_usd_per_million, output_usd_per_million } = price
  return (input_tokens * input_usd_per_million + output_tokens * output_usd_per_million) / million
}

function tokensOf(models: readonly ModelTokens[]): number {
  return models.reduce((sum, { input_tokens, output_tokens }) => {
    return sum + input_tokens + output_tokens
  }, 0)
}
