/** One dead-letter record: what failed, and the message as it is in Kafka. */
import { Link, useSearch } from 'wouter'
import type { deadLetter } from '../../../../api/dead-letters/schemas.ts'
import { useRead } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { JsonView } from '../../json/json-view.tsx'
import { formatBytes } from '../../text/format.ts'
import { visible } from '../../text/visible.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { positionOf, State } from './dead-letters-page.tsx'

type Detail = WireOf<typeof deadLetter>

export function DeadLetterPage({ id }: { readonly id: string }) {
  const search = useSearch()
  const record = useRead<Detail>(`/v1/dead-letters/${encodeURIComponent(id)}`)
  return (
    <Page title="Dead-letter record">
      <nav aria-label="Breadcrumb">
        <Link href={`/dead-letters${search === '' ? '' : `?${search}`}`}>Dead-letter records</Link>
      </nav>
      <Loaded query={record} what="the record">
        {(found) => <Message record={found} />}
      </Loaded>
    </Page>
  )
}

function Message({ record }: { readonly record: Detail }) {
  const { headers, value, decoded } = record
  return (
    <>
      <p>
        <State record={record} /> {visible(record.error)}
      </p>
      <dl className="facts">
        {factsOf(record).map(([name, fact]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
      <h2>Headers</h2>
      <DataTable
        label="Headers"
        rows={headers}
        keyOf={({ name }) => name}
        columns={[
          { name: 'Name', cell: ({ name }) => <code>{visible(name)}</code> },
          { name: 'Value', cell: (header) => <bdi>{visible(header.value)}</bdi> }
        ]}
      />
      <h2>Value</h2>
      <p className="quiet">
        {formatBytes(value.bytes)}
        {value.is_truncated && ', only the start is shown'}
        {value.encoding === 'base64' && ', shown as base64'}
      </p>
      <pre className="json">{visible(value.content)}</pre>
      {decoded !== null && (
        <JsonView text={JSON.stringify(decoded, null, 2)} label="Decoded value" />
      )}
    </>
  )
}

function factsOf(record: Detail) {
  const { reason, step, attempts, agent_id, decision_id, consumer_group } = record
  return [
    ['Dead-lettered', <Time iso={record.dead_lettered_at} />],
    ['Reason', visible(reason)],
    ['Step', step],
    ['Attempts', attempts],
    ['Consumer group', visible(consumer_group)],
    ['Agent', visible(agent_id ?? 'unknown')],
    ['Decision', <Link href={`/decisions/${decision_id}`}>{decision_id}</Link>],
    ['Origin', positionOf(record.origin)],
    ['Dead-letter record', positionOf(record.record)],
    ['Handled by', visible(record.handled_by ?? '–')]
  ] as const
}
