/** POST /v1/evaluation/runs/replay: repeats runs that ended without a score. */
import type { Clock } from '../../../core/clock.ts'
import { usdOf } from '../../../core/evaluation/usd.ts'
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import type { OrganizationStore, Store } from '../../store.ts'
import { readTimeRange } from '../../time-range.ts'
import type { TimeRange } from '../../time-range.ts'
import { invalidBody } from '../../configuration/refusals.ts'
import { countReplayable, lockReplayable } from './select-replayable.ts'
import type { ReplayFilter, ReplayableRun, Wanted } from './select-replayable.ts'
import { writeReplays } from './write-replays.ts'

export interface ReplayDependencies {
  readonly store: Store
  readonly clock: Clock
}

interface ReplayBody {
  readonly filter: Omit<ReplayFilter, 'range'> & { readonly from?: string; readonly to?: string }
  readonly dry_run?: boolean
}

export const replaysMax = 1000
export const matchedMax = 10_000
const spendDays = 30

export function createReplayRuns({ store, clock }: ReplayDependencies): SessionHandle {
  return async function replayRuns(call) {
    const { filter, dry_run = false } = call.body as ReplayBody
    const now = clock.now()
    const ours = store.of(call.principal.organization_id)
    const { organizationId } = ours
    const wanted: Wanted = { organizationId, filter: filterOf(filter, now) }
    const answer = await ours.change(async (transaction) => {
      const found = await countReplayable(transaction, wanted, matchedMax + 1)
      const runs = await lockReplayable(transaction, wanted, replaysMax)
      if (!dry_run) await writeReplays(transaction, { organizationId, openedAt: now }, runs)
      const matched = Math.max(Math.min(found, matchedMax), runs.length)
      const left = matched - runs.length
      const more_than_matched = found > matchedMax
      return { matched, more_than_matched, left, runs }
    })
    const { runs, ...counts } = answer
    const est_usd = await estimate(ours, runs)
    return jsonReply(202, JSON.stringify({ dry_run, ...counts, planned: runs.length, est_usd }))
  }
}

function filterOf({ from, to, ...filter }: ReplayBody['filter'], now: number): ReplayFilter {
  const { decision_ids } = filter
  const isNamed = decision_ids !== undefined && from === undefined && to === undefined
  const range = isNamed ? null : rangeOf({ from, to }, now)
  const ids = decision_ids?.map((id) => id.toLowerCase())
  return { ...filter, ...(ids === undefined ? {} : { decision_ids: ids }), range }
}

function rangeOf(
  texts: { from: string | undefined; to: string | undefined },
  now: number
): TimeRange {
  const read = readTimeRange(texts, now)
  if (read.kind === 'range') return read.range
  const errors = read.errors.map(({ pointer, detail }) => ({
    pointer: `/filter${pointer}`,
    detail
  }))
  throw invalidBody(errors)
}

/**
 * By what a call of each judge has cost of late, in US dollars; null when that is not known of one.
 */
async function estimate(
  store: OrganizationStore,
  runs: readonly ReplayableRun[]
): Promise<number | null> {
  const judged = runs.filter(({ evaluator_kind }) => evaluator_kind === 'llm_judge')
  if (judged.length === 0) return 0
  const rows = await store.query<{ evaluator_id: string; nano_usd: number | null }>(
    `select evaluator_id,
            (sum(nano_usd) / nullif(sum(calls - unpriced_calls), 0))::float8 as nano_usd
       from evaluation_spend
      where organization_id = $1
        and day > (now() at time zone 'utc')::date - $2::integer
      group by evaluator_id`,
    [store.organizationId, spendDays]
  )
  const prices = new Map(rows.map(({ evaluator_id, nano_usd }) => [evaluator_id, nano_usd]))
  const costs = judged.map(({ evaluator_id }) => prices.get(evaluator_id) ?? null)
  if (costs.includes(null)) return null
  return usdOf(costs.reduce<number>((sum, nano) => sum + (nano ?? 0), 0))
}
