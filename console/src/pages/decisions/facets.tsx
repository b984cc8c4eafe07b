/** The most frequent values of each field in the range. A value filters the list. */
import { useState } from 'react'
import { useRead } from '../../api/use-api.ts'
import type { FacetsBody } from '../../api/wire.ts'
import { queryFields } from '../../query/query-fields.ts'
import { fieldOf, withField } from '../../query/query-text.ts'
import { formatNumber } from '../../text/format.ts'
import { visible } from '../../text/visible.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { rangeOf, useListState } from './use-list-state.ts'

const fields = ['agent', 'domain', 'verdict', 'status', 'model', 'version', 'sdk'] as const
const openFirst: readonly string[] = ['agent', 'verdict']

export function Facets() {
  return (
    <section className="facets" aria-label="Values in the range">
      {fields.map((field) => (
        <Facet key={field} field={field} />
      ))}
      <p className="quiet">
        Counts respect the time range and the chosen agent, but no other filter. The counts of
        agents respect only the time range.
      </p>
    </section>
  )
}

function Facet({ field }: { readonly field: string }) {
  const [state] = useListState()
  const [isOpen, setIsOpen] = useState(openFirst.includes(field))
  const agent = field === 'agent' ? '' : fieldOf(state.q, 'agent')
  const parameters = new URLSearchParams({
    field: queryFields[field]?.filter ?? '',
    limit: '10',
    ...rangeOf(state),
    ...(agent !== '' && { agent_id: agent })
  })
  const facet = useRead<FacetsBody>(isOpen ? `/v1/decisions/facets?${parameters}` : null)
  return (
    <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>{field}</summary>
      {isOpen && (
        <Loaded query={facet} what={`the values of ${field}`}>
          {({ data, meta }) => (
            <ul>
              {data.map(({ value, decisions }) => (
                <li key={value}>
                  <Value {...{ field, value, decisions }} />
                </li>
              ))}
              {meta.has_more && <li className="quiet">and more</li>}
            </ul>
          )}
        </Loaded>
      )}
    </details>
  )
}

interface ValueProps {
  readonly field: string
  readonly value: string | null
  readonly decisions: number
}

function Value({ field, value, decisions }: ValueProps) {
  const [{ q }, setState] = useListState()
  const isList = queryFields[field]?.kind !== 'text'
  const chosen = fieldOf(q, field).split(isList ? ',' : /$^/)
  const isChosen = value !== null && chosen.includes(value)
  const toggle = (): void => {
    const others = isList ? chosen.filter((each) => each !== value && each !== '') : []
    const next = isChosen ? others : [...others, value ?? '']
    void setState({ q: withField(q, field, next.join(',')), peek: null })
  }
  return (
    <button type="button" aria-pressed={isChosen} disabled={value === null} onClick={toggle}>
      <bdi className="ellipsis">{value === null ? 'none' : visible(value)}</bdi>{' '}
      <span className="quiet">{formatNumber(decisions)}</span>
    </button>
  )
}
