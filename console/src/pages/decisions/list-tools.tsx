/** Actions on the list: count it, choose columns, export it, copy it as a curl command. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { curlOfSearch } from '../../decision/curl.ts'
import { formatCount } from '../../text/format.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { columnNames, columns } from './columns.ts'
import { exportDecisions, exportPathOf } from './export-decisions.ts'
import { searchOf, useCount } from './use-decisions.ts'
import { chosenColumns, useListState } from './use-list-state.ts'

export function ListTools() {
  const [state, setState] = useListState()
  const { body, errors } = searchOf(state)
  if (errors.length > 0) return null
  return (
    <>
      <button type="button" onClick={() => void setState({ facets: !state.facets })}>
        {state.facets ? 'Hide values' : 'Show values'}
      </button>
      <Columns />
      <Menu label="Export">
        <Export path={exportPathOf(body)} />
      </Menu>
      <CopyButton text={() => curlOfSearch(body, location.origin)} label="Copy as curl" />
      <Count />
    </>
  )
}

function Count() {
  const [state] = useListState()
  const { data, error, isFetching, refetch } = useCount(state)
  if (error !== null) return <ProblemBox error={error} onRetry={() => void refetch()} />
  if (data === undefined || data === null) {
    return (
      <button type="button" className="small" disabled={isFetching} onClick={() => void refetch()}>
        Count
      </button>
    )
  }
  const relation = { exact: '', at_least: 'at least ', about: 'about ' }[data.relation]
  return (
    <span className="quiet" role="status">
      {relation}
      {formatCount(data.value, 'decision')}
    </span>
  )
}

function Columns() {
  const [listState, setState] = useListState()
  const shown = chosenColumns(listState)
  const toggle = (name: string) =>
    setState((state) => {
      const before = chosenColumns(state)
      const next = before.includes(name)
        ? before.filter((each) => each !== name)
        : [...before, name]
      return next.length > 0 ? { columns: next } : {}
    })
  return (
    <Menu label="Columns">
      {columnNames.map((name) => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={shown.includes(name)}
            onChange={() => void toggle(name)}
          />
          {columns[name]?.title}
        </label>
      ))}
    </Menu>
  )
}

function Export({ path }: { readonly path: string }) {
  const [message, setMessage] = useState('')
  const { mutate, error } = useMutation<void, Error, string>({
    mutationFn: (format) => exportDecisions(`${path}&format=${format}`, format, setMessage),
    onError: () => setMessage('')
  })
  return (
    <>
      {['ndjson', 'csv'].map((format) => (
        <ActionButton key={format} needs="member" onClick={() => mutate(format)}>
          {`Download ${format.toUpperCase()}`}
        </ActionButton>
      ))}
      <p role="status">{message}</p>
      {error !== null && <ProblemBox error={error} />}
    </>
  )
}
