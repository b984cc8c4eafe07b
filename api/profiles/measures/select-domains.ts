/** Of which domains the decisions of an agent are. */
import type { HourRange } from '../../stats/hour-range.ts'
import { selectSums } from '../../stats/select-sums.ts'
import type { SumRow } from '../../stats/sum-rows.ts'
import { decisionSource } from '../../stats/sum-sources.ts'
import type { OrganizationStore } from '../../store.ts'
import { errorRateOf } from './agent-sums.ts'
import { meanLatencyOf } from './select-facets.ts'

export const domainsMax = 50

/** The largest. */
export async function selectDomains(
  store: OrganizationStore,
  agentId: string,
  { from, to }: HourRange
): Promise<readonly SumRow[]> {
  return await selectSums(store, decisionSource, {
    ...{ groups: ['domain'], filters: { agentId }, from, to, starts: [from] },
    seriesMax: domainsMax
  })
}

export function domainsOf(rows: readonly SumRow[]) {
  const countOf = ({ sums }: SumRow): number => sums['decisions'] ?? 0
  const largestFirst = rows.toSorted((left, right) => countOf(right) - countOf(left))
  return largestFirst.map(({ key, sums }) => {
    const { decisions = 0, input_tokens = 0, output_tokens = 0 } = sums
    return {
      domain: (JSON.parse(key ?? '[]') as (string | null)[])[0] ?? null,
      decisions,
      input_tokens: sums['input_tokens_known'] ? input_tokens : null,
      output_tokens: sums['output_tokens_known'] ? output_tokens : null,
      error_rate: errorRateOf(sums),
      latency_ms: meanLatencyOf(sums)
    }
  })
}
