/** The query bar: the query as text, and controls that edit its most common fields. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { evaluationStatuses } from '../../../../core/evaluation/evaluation-status.ts'
import { verdicts } from '../../../../core/evaluation/evaluation.ts'
import { parseQuery } from '../../query/parse-query.ts'
import { fieldOf, withField } from '../../query/query-text.ts'
import { recentQueries, rememberQuery } from '../../query/recent-queries.ts'
import { useKeys } from '../../ui/use-keys.ts'
import { rangeDefault, ranges, useListState } from './use-list-state.ts'

export function QueryBar({ isLive = false }: { readonly isLive?: boolean }) {
  const [state, setState] = useListState()
  const [draft, setDraft] = useState(state.q)
  const [errors, setErrors] = useState<readonly string[]>([])
  const input = useRef<HTMLInputElement>(null)
  const [errorId, recentId] = [useId(), useId()]
  // The Back button and the controls change the query from outside.
  useEffect(() => {
    setDraft(state.q)
    setErrors(parseQuery(state.q).errors)
  }, [state.q])
  useKeys({ '/': () => input.current?.select() })
  const readAgain = useReadAgain()
  const apply = (text: string): void => {
    const found = parseQuery(text).errors
    setErrors(found)
    // Spaces at the ends are removed, so that equal queries have equal URLs.
    const q = text.trim()
    if (found.length > 0) return
    if (q === state.q) return readAgain()
    rememberQuery(q)
    void setState({ q, peek: null })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    apply(draft)
  }
  const choose = (field: string, value: string): void => apply(withField(state.q, field, value))
  return (
    <form className="query-bar" role="search" onSubmit={submit}>
      <input
        ref={input}
        type="search"
        aria-label="Query"
        aria-invalid={errors.length > 0}
        aria-describedby={errorId}
        placeholder='agent:checkout verdict:fail "late delivery"'
        value={draft}
        spellCheck={false}
        list={recentId}
        onChange={(event) => setDraft(event.target.value)}
      />
      <datalist id={recentId}>
        {recentQueries().map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
      <FieldSelect field="verdict" values={verdicts} query={state.q} onChoose={choose} />
      <FieldSelect field="status" values={evaluationStatuses} query={state.q} onChoose={choose} />
      {!isLive && <RangeSelect />}
      <button type="submit">Search</button>
      <ul id={errorId} className="query-errors" aria-live="polite">
        {errors.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </form>
  )
}

/** Returns a function that reads the list and the counts again, for the same query. */
function useReadAgain() {
  const queries = useQueryClient()
  return (): void => {
    void queries.resetQueries({ queryKey: ['decisions'] })
    void queries.invalidateQueries({ queryKey: ['read'] })
  }
}

interface FieldSelectProps {
  readonly field: string
  readonly values: readonly string[]
  readonly query: string
  readonly onChoose: (field: string, value: string) => void
}

function FieldSelect({ field, values, query, onChoose }: FieldSelectProps) {
  const value = fieldOf(query, field)
  const isOther = value !== '' && !values.includes(value)
  return (
    <select
      aria-label={field}
      value={value}
      onChange={(event) => onChoose(field, event.target.value)}
    >
      <option value="">any {field}</option>
      {isOther && <option>{value}</option>}
      {values.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </select>
  )
}

/** The default range is not in the URL, so that a link has only what was chosen. */
function RangeSelect() {
  const [{ from, to }, setState] = useListState()
  const value = to === null ? (from ?? rangeDefault) : 'other'
  const isListed = Object.hasOwn(ranges, value)
  const choose = (next: string): void => {
    void setState({ from: next === rangeDefault ? null : next, to: null, peek: null })
  }
  return (
    <select aria-label="Time range" value={value} onChange={(event) => choose(event.target.value)}>
      {!isListed && <option value={value}>{`${from ?? '…'} to ${to ?? 'now'}`}</option>}
      {Object.entries(ranges).map(([start, name]) => (
        <option key={start} value={start}>
          {name}
        </option>
      ))}
    </select>
  )
}
