/** Compares the stored hourly sums with sums computed from the rows. */

/** Sums of an hour. They are strings, because token sums can exceed the safe integer range. */
export interface HourSum {
  readonly organization_id: string
  readonly hour: string
  readonly agent_id: string
  readonly domain: string
  readonly decisions: string
  readonly input_tokens: string
  readonly output_tokens: string
  readonly input_tokens_known: string
  readonly output_tokens_known: string
}

/**
 * Compares the sums.
 * @returns a sentence for each hour, agent and domain with a difference
 */
export function differingHours(counted: readonly HourSum[], kept: readonly HourSum[]): string[] {
  const keptByName = new Map(kept.map((sum) => [nameOf(sum), sum]))
  const countedNames = new Set(counted.map(nameOf))
  const differing = counted.flatMap((sum) => {
    const other = keptByName.get(nameOf(sum))
    if (other === undefined) return [`${nameOf(sum)} is missing`]
    const [expected, found] = [valuesOf(sum), valuesOf(other)]
    return expected === found ? [] : [`${nameOf(sum)} is ${found}, not ${expected}`]
  })
  const unfounded = kept.map(nameOf).filter((name) => !countedNames.has(name))
  return [...differing, ...unfounded.map((name) => `${name} has no decisions`)]
}

function nameOf({ organization_id, hour, agent_id, domain }: HourSum): string {
  return JSON.stringify([organization_id, hour, agent_id, domain])
}

function valuesOf(sum: HourSum): string {
  const tokens = [sum.input_tokens, sum.output_tokens]
  return [sum.decisions, ...tokens, sum.input_tokens_known, sum.output_tokens_known].join(' ')
}
