/** The scores of an agent by name, source and evaluator version: versions are never mixed. */
import { meanOf, rateOf } from '../../stats/metrics.ts'
import { selectSums } from '../../stats/select-sums.ts'
import type { SumRow } from '../../stats/sum-rows.ts'
import { sumOf } from '../../stats/stats-series.ts'
import { scoreSource } from '../../stats/sum-sources.ts'
import type { OrganizationStore } from '../../store.ts'

export interface ScoresQuery {
  readonly agentId: string
  readonly name?: string | undefined
  readonly to: number
  readonly starts: readonly number[]
}

/** Beyond these an agent has more scores than anybody looks at. */
export const scoresMax = 100

export async function selectScores(
  store: OrganizationStore,
  { agentId, name, to, starts }: ScoresQuery
): Promise<readonly SumRow[]> {
  return await selectSums(store, scoreSource, {
    groups: [],
    filters: { agentId, names: name === undefined ? undefined : [name] },
    ...{ from: starts[0] ?? to, to, starts, seriesMax: scoresMax }
  })
}

/** @param eligible how many decisions there were to score */
export function scoresOf(rows: readonly SumRow[], starts: readonly number[], eligible: number) {
  const groups = [...Map.groupBy(rows, ({ identity }) => identity)]
  return groups
    .map(([identity, ofVersion]) => scoreOf(identity, ofVersion, { starts, eligible }))
    .toSorted((left, right) => right.n_scored - left.n_scored)
}

function scoreOf(
  identity: string,
  rows: readonly SumRow[],
  { starts, eligible }: { starts: readonly number[]; eligible: number }
) {
  const [name, source, evaluator, version] = JSON.parse(identity) as [
    string,
    string,
    string,
    number
  ]
  const sums = sumOf(rows.map((row) => row.sums))
  const buckets = rows.map(({ bucket }) => bucket)
  const { value: mean, ci: mean_ci } = meanOf(sums)
  const startOf = (bucket: number) => new Date(starts[bucket - 1] ?? 0).toISOString()
  return {
    name,
    source,
    evaluator_id: evaluator === '' ? null : evaluator,
    version: evaluator === '' ? null : version,
    n_scored: sums['scores'] ?? 0,
    n_eligible: eligible,
    ...{ mean, mean_ci, n_valued: sums['valued'] ?? 0 },
    pass_rate: rateOf(sums['passed'] ?? 0, sums['judged'] ?? 0),
    first_seen: startOf(Math.min(...buckets)),
    points: rows
      .toSorted((left, right) => left.bucket - right.bucket)
      .map(({ bucket, sums: ofPoint }) => {
        const { value, n, ci } = meanOf(ofPoint)
        const { passed = 0, judged = 0 } = ofPoint
        return { t: startOf(bucket), value, n, ci, pass_rate: rateOf(passed, judged) }
      })
  }
}
