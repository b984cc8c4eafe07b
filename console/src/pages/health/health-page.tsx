/** Health: the outcomes of the decisions that the organization sent. */
import { parseAsStringLiteral, useQueryState } from 'nuqs'
import { useRead } from '../../api/use-api.ts'
import { formatNumber } from '../../text/format.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { ranges } from '../decisions/use-list-state.ts'
import { LedgerSection } from './ledger-section.tsx'
import { KeyTable, ReasonTable } from './outcome-tables.tsx'
import type { CountedOutcomes, OutcomesBody } from './outcome-tables.tsx'
import { RejectedTable } from './rejected-table.tsx'

const rangeNames = ['-1h', '-24h', '-7d'] as const
const pollMs = 10_000

export function HealthPage() {
  const parser = parseAsStringLiteral(rangeNames).withDefault('-24h')
  const [from, setFrom] = useQueryState('from', parser.withOptions({ history: 'push' }))
  const outcomesOf = useRead<OutcomesBody>(`/v1/ingestion/outcomes?from=${from}`, { pollMs })
  return (
    <Page
      title="Health"
      actions={
        <select
          aria-label="Time range"
          value={from}
          onChange={({ target }) => void setFrom(parser.parse(target.value))}
        >
          {rangeNames.map((name) => (
            <option key={name} value={name}>
              {ranges[name]}
            </option>
          ))}
        </select>
      }
    >
      <Loaded query={outcomesOf} what="the outcomes">
        {({ outcomes: counted }) =>
          counted === null ? (
            <p className="notice">
              Redis is unavailable, so the counts are unknown. Decisions are not affected.
            </p>
          ) : (
            <Ingestion counted={counted} />
          )
        }
      </Loaded>
      <RejectedTable />
      <LedgerSection />
    </Page>
  )
}

function Ingestion({ counted }: { readonly counted: CountedOutcomes }) {
  const { accepted, rejected, since, dropped } = counted
  const droppedSum = Object.values(dropped).reduce((sum, count) => sum + count, 0)
  return (
    <>
      <p className="sum">
        <strong>{formatNumber(accepted + rejected)}</strong> received ={' '}
        <strong>{formatNumber(accepted)}</strong> accepted +{' '}
        <strong>{formatNumber(rejected)}</strong> rejected
      </p>
      <p className="quiet">
        Counted since <Time iso={since} />.{' '}
        {droppedSum > 0 &&
          `SDKs reported ${formatNumber(droppedSum)} more that they dropped before sending.`}
      </p>
      <ReasonTable counted={counted} />
      <KeyTable counted={counted} />
    </>
  )
}
