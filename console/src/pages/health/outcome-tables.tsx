/** The counts of ingestion by reason and by API key. */
import type { outcomes } from '../../../../api/ingestion/schemas.ts'
import { problems } from '../../../../core/problem.ts'
import type { ProblemCode } from '../../../../core/problem.ts'
import type { WireOf } from '../../api/wire.ts'
import { formatNumber } from '../../text/format.ts'
import { visible } from '../../text/visible.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'

export type OutcomesBody = WireOf<typeof outcomes>
export type CountedOutcomes = NonNullable<OutcomesBody['outcomes']>

interface CountedProps {
  readonly counted: CountedOutcomes
}

interface Reason {
  readonly code: string
  readonly title: string
  readonly advice: string
  readonly count: number
  readonly trend: readonly number[]
}

/** Lists why decisions were rejected or dropped, most frequent first. */
export function ReasonTable({ counted }: CountedProps) {
  const reasons = [...rejectionsOf(counted), ...dropsOf(counted)]
  return (
    <section aria-labelledby="reasons">
      <h2 id="reasons">Rejected decisions by reason</h2>
      {reasons.length === 0 ? (
        <p>No decision was rejected or dropped in this range.</p>
      ) : (
        <DataTable
          label="Rejected decisions by reason"
          rows={reasons}
          keyOf={({ code, title }) => `${title} ${code}`}
          columns={[
            { name: 'Reason', cell: ({ title }) => title },
            { name: 'Code', cell: ({ code }) => <code>{visible(code)}</code> },
            { name: 'Decisions', isNumber: true, cell: ({ count }) => formatNumber(count) },
            { name: 'Trend', cell: ({ trend }) => <Sparkline values={trend} /> },
            { name: 'Retry', cell: ({ advice }) => advice }
          ]}
        />
      )}
    </section>
  )
}

function rejectionsOf({ rejected_by_code, points }: CountedOutcomes): Reason[] {
  const entries = Object.entries(rejected_by_code).toSorted(([, a], [, b]) => b - a)
  return entries.map(([code, count]) => {
    const problem = Object.hasOwn(problems, code) ? problems[code as ProblemCode] : null
    return {
      code,
      title: problem?.title ?? code,
      advice:
        problem?.retryable === true
          ? 'The same request may succeed later.'
          : 'Correct the request first.',
      count,
      trend: points.map((point) => point.rejected_by_code[code] ?? 0)
    }
  })
}

/** No gateway has seen these, so they are in no other count. */
function dropsOf({ dropped, points }: CountedOutcomes): Reason[] {
  const entries = Object.entries(dropped).toSorted(([, a], [, b]) => b - a)
  return entries.map(([code, count]) => ({
    code,
    title: 'Dropped by an SDK before sending',
    advice: 'Lost; see the log of the SDK.',
    count,
    trend: points.map((point) => point.dropped[code] ?? 0)
  }))
}

export function KeyTable({ counted: { keys, keys_total } }: CountedProps) {
  if (keys.length === 0) return null
  return (
    <section aria-labelledby="by-key">
      <h2 id="by-key">By API key</h2>
      <DataTable
        label="Decisions by API key"
        rows={keys}
        keyOf={({ key_id }) => key_id ?? ''}
        columns={[
          { name: 'Key', cell: ({ key_name, key_id }) => visible(key_name ?? key_id ?? 'others') },
          { name: 'Accepted', isNumber: true, cell: ({ accepted }) => formatNumber(accepted) },
          { name: 'Rejected', isNumber: true, cell: ({ rejected }) => formatNumber(rejected) }
        ]}
      />
      {keys_total > keys.length && (
        <p className="quiet">
          The {keys.length} keys with the most decisions, of {formatNumber(keys_total)}.
        </p>
      )}
    </section>
  )
}
