/** Says why the list is empty, and what to do about it. */
import { termsOf } from '../../query/query-text.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Time } from '../../ui/time.tsx'
import { useNewest } from './use-decisions.ts'
import { useListState } from './use-list-state.ts'

export function EmptyList() {
  const [{ q }] = useListState()
  return <div className="list-state">{q === '' ? <EmptyRange /> : <EmptyFilter />}</div>
}

/** Lists the terms of the query, each with a button that removes it. */
function EmptyFilter() {
  const [{ q }, setState] = useListState()
  const terms = termsOf(q)
  const without = (index: number): string =>
    terms.flatMap(({ text }, each) => (each === index ? [] : text)).join(' ')
  return (
    <>
      <p>No decision in this range matches the query. Remove a term:</p>
      <p className="chips">
        {terms.map(({ text }, index) => (
          <button
            key={`${index} ${text}`}
            type="button"
            onClick={() => void setState({ q: without(index) })}
          >
            {text} ×
          </button>
        ))}
      </p>
    </>
  )
}

function EmptyRange() {
  const [, setState] = useListState()
  const { data: newest, isPending } = useNewest()
  if (isPending) return <Loading label="Looking for the newest decision…" />
  if (newest === undefined || newest === null) return <NoDecisions />
  const jump = (): void => {
    const startMs = Date.parse(newest.received_at) - 3_600_000
    const to = new Date(Date.parse(newest.received_at) + 1000).toISOString()
    void setState({ from: new Date(startMs).toISOString(), to })
  }
  return (
    <>
      <p>
        No decision was received in this range. The newest is from <Time iso={newest.received_at} />
        .
      </p>
      <button type="button" onClick={jump}>
        Jump to it
      </button>
    </>
  )
}

export function NoDecisions() {
  const command = [
    `curl '${location.origin}/v1/ingest' \\`,
    '  -H "Authorization: Bearer $SLUICE_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '{"agent_id":"my-agent","input":{"question":"2+2?"},"output":"4"}'`
  ].join('\n')
  return (
    <>
      <p>No decisions yet. Send the first one:</p>
      <pre className="command">{command}</pre>
      <CopyButton text={command} label="Copy the command" />
    </>
  )
}
