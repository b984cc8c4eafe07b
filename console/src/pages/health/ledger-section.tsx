/** The ledger: every message of the topic, as the last audit found it. */
import type { ledger } from '../../../../api/ingestion/schemas.ts'
import { useRead } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { formatNumber } from '../../text/format.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Time } from '../../ui/time.tsx'

type Ledger = NonNullable<WireOf<typeof ledger>['ledger']>
type Counts = Ledger['partitions'][number]

const pollMs = 30_000

/** The outcomes of a message. Their counts add up to the number of messages. */
const states = {
  stored: 'stored',
  duplicate: 'duplicates',
  conflict: 'conflicts',
  dead_lettered: 'dead-lettered',
  erased: 'erased',
  in_flight: 'in flight',
  missing: 'missing'
} as const
const stateNames = Object.keys(states) as (keyof typeof states)[]

const reasons = {
  not_stored: 'The decision is not stored.',
  row_gone: 'Its row was deleted, but not by an erasure.',
  conflict_not_reported: 'Its id belongs to another decision, and no dead-letter record says so.'
} as const

export function LedgerSection() {
  const query = useRead<WireOf<typeof ledger>>('/v1/ingestion/ledger', { pollMs })
  return (
    <section aria-labelledby="ledger">
      <h2 id="ledger">Ledger</h2>
      <Loaded query={query} what="the ledger">
        {(body) =>
          body.ledger === null ? (
            <p>
              No ledger: storage has not audited the topic yet, or does not count this organization.
            </p>
          ) : (
            <Audit ledger={body.ledger} />
          )
        }
      </Loaded>
    </section>
  )
}

function Audit({ ledger }: { readonly ledger: Ledger }) {
  const { audited_at, window, messages, exact, gateway } = ledger
  return (
    <>
      <p className="sum">
        <strong>{formatNumber(messages)}</strong> messages ={' '}
        {stateNames.map((name, index) => (
          <span key={name} className={isLost(name, ledger) ? 'lost' : undefined}>
            {index > 0 && ' + '}
            <strong>{formatNumber(ledger[name])}</strong> {states[name]}
          </span>
        ))}
      </p>
      <p className="quiet">
        The messages of your organization from <Time iso={window.from} /> to{' '}
        <Time iso={window.to} />, audited at <Time iso={audited_at} />.
        {!exact &&
          ' Not exact: messages could not be read, or some duplicates may count as stored.'}
      </p>
      {gateway !== null && (
        <p className="quiet">
          In the whole hours of the window, gateways counted {formatNumber(gateway.accepted)}{' '}
          accepted decisions and the topic has {formatNumber(gateway.messages)} messages. A small
          difference is normal, because a retry can write a decision twice and a killed gateway
          loses its last counts.
        </p>
      )}
      <Missing ledger={ledger} />
      <details>
        <summary>Partitions</summary>
        <DataTable
          label="Ledger by partition"
          rows={ledger.partitions}
          keyOf={({ partition }) => String(partition)}
          columns={[
            { name: 'Partition', cell: ({ partition }: Counts) => partition },
            ...stateNames.map((name) => ({
              name: states[name],
              isNumber: true,
              cell: (counts: Counts) => formatNumber(counts[name])
            }))
          ]}
        />
      </details>
    </>
  )
}

function isLost(name: string, { missing }: Ledger): boolean {
  return name === 'missing' && missing > 0
}

function Missing({ ledger: { missing, missing_records } }: { readonly ledger: Ledger }) {
  if (missing === 0) return null
  return (
    <div className="problem" role="alert">
      <strong>{formatNumber(missing)} acknowledged decisions are missing</strong>
      <p>They are still in Kafka. Tell the operator, who can read them there.</p>
      <DataTable
        label="Missing messages"
        rows={missing_records}
        keyOf={({ partition, offset }) => `${partition}/${offset}`}
        columns={[
          { name: 'Decision', cell: ({ decision_id }) => <code>{decision_id}</code> },
          { name: 'Partition', isNumber: true, cell: ({ partition }) => partition },
          { name: 'Offset', isNumber: true, cell: ({ offset }) => offset },
          { name: 'Reason', cell: ({ reason }) => reasons[reason] }
        ]}
      />
    </div>
  )
}
