/** Parts of the profile of an agent: the overview, its scores, and what was not accepted. */
import { Link } from 'wouter'
import { formatCost, formatNumber } from '../../text/format.ts'
import { visible } from '../../text/visible.ts'
import { TableSection } from '../../ui/data-table.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Rate } from '../../ui/rate.tsx'
import { Time } from '../../ui/time.tsx'
import type { AgentPartProps } from './agent-state.tsx'
import { metrics, Trends } from './trends.tsx'

export function Overview({ id, profile }: AgentPartProps) {
  const { status, last_seen, owner, sdk_versions, cost, latency_ms, scores, worst } = profile
  const { p50, p95 } = latency_ms
  const versions = Map.groupBy(scores, ({ name, evaluator_id }) => `${name} ${evaluator_id}`)
  const changed = [...versions.values()].filter((each) => each.length > 1)
  return (
    <>
      <p>
        <Pill word={status} /> last seen <Time iso={last_seen} /> · owner{' '}
        {visible(owner ?? 'not set')} · SDK{' '}
        {visible(sdk_versions.map(({ value }) => value).join(', ') || 'not sent')} · cost{' '}
        {formatCost(cost)} · latency{' '}
        {p50 === null ? 'not sent' : `median ${p50} ms, 95th percentile ${p95} ms`}
      </p>
      <Trends
        id={id}
        names={Object.keys(metrics)}
        changed={changed.map(([first]) => `score:${first?.name}`)}
      />
      <TableSection
        label="Newest failed decisions"
        empty="No decision in this window has the verdict fail."
        rows={worst}
        keyOf={({ decision_id }) => decision_id}
        columns={[
          { name: 'Received', cell: (row) => <DecisionLink {...row} /> },
          { name: 'Failed scores', cell: ({ failed_scores }) => visible(failed_scores.join(', ')) },
          { name: 'Session', cell: ({ session_id }) => visible(session_id ?? 'not sent') },
          { name: 'Domain', cell: ({ domain }) => visible(domain ?? 'not sent') }
        ]}
      />
    </>
  )
}

function DecisionLink(row: AgentPartProps['profile']['worst'][number]) {
  return (
    <Link href={`/decisions/${row.decision_id}`}>
      <Time iso={row.received_at} />
    </Link>
  )
}

export function Scores({ id, profile: { scores } }: AgentPartProps) {
  return (
    <>
      <TableSection
        label="Scores"
        empty="No decision in this window has a score."
        rows={scores}
        keyOf={(row) => JSON.stringify([row.name, row.source, row.evaluator_id, row.version])}
        columns={[
          { name: 'Score', cell: ({ name }) => visible(name) },
          { name: 'Source', cell: ({ source }) => source },
          { name: 'Evaluator version', cell: ({ version }) => version ?? '–' },
          { name: 'Mean', cell: meanOf },
          { name: 'Pass rate', cell: ({ pass_rate }) => <Rate measure={pass_rate} /> },
          { name: 'Scored', cell: ({ n_scored, n_eligible }) => `${n_scored} of ${n_eligible}` }
        ]}
      />
      <Trends id={id} names={scores.map(({ name }) => `score:${name}`)} />
    </>
  )
}

function meanOf({ mean, n_valued, mean_ci }: AgentPartProps['profile']['scores'][number]) {
  return <Rate measure={{ value: mean, n: n_valued, ci: mean_ci }} format={formatNumber} />
}

export function Ingestion({ profile: { ingestion } }: AgentPartProps) {
  if (ingestion === null) return <p>The counters are unavailable. Retry shortly.</p>
  const tables = {
    'Rejected by the gateway': ingestion.rejected,
    'Dropped by the SDK': ingestion.dropped
  }
  return (
    <>
      <p>
        Counted since <Time iso={ingestion.since} />.
      </p>
      {Object.entries(tables).map(([label, counts]) => (
        <TableSection
          key={label}
          label={label}
          empty="None."
          rows={Object.entries(counts)}
          keyOf={([reason]) => reason}
          columns={[
            { name: 'Reason', cell: ([reason]) => <code>{reason}</code> },
            { name: 'Decisions', isNumber: true, cell: ([, count]) => formatNumber(count) }
          ]}
        />
      ))}
    </>
  )
}
