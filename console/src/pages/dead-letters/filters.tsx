/** The filters of the list of dead-letter records; they are in the URL. */
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs'
import { deadLetterSteps } from '../../../../core/message-outcome.ts'

const states = ['open', 'replayed', 'dropped'] as const
const parsers = {
  state: parseAsStringLiteral([...states, 'all']).withDefault('open'),
  step: parseAsStringLiteral(deadLetterSteps),
  reason: parseAsString,
  agent: parseAsString
}
export type FilterState = ReturnType<typeof useListState>[0]

export function useListState() {
  return useQueryStates(parsers, { history: 'push' })
}

export function Filters() {
  const [{ state, step, reason, agent }, setState] = useListState()
  return (
    <form
      className="query-bar"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const textOf = (name: string): string | null => {
          const value = form.get(name)
          return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
        }
        void setState({ reason: textOf('reason'), agent: textOf('agent') })
      }}
    >
      <select
        aria-label="State"
        value={state}
        onChange={({ target }) => void setState({ state: parsers.state.parse(target.value) })}
      >
        {[...states, 'all'].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label="Step"
        value={step ?? ''}
        onChange={({ target }) => void setState({ step: parsers.step.parse(target.value) })}
      >
        <option value="">any step</option>
        {deadLetterSteps.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <input
        key={`reason ${reason}`}
        name="reason"
        aria-label="Reason"
        placeholder="Reason"
        defaultValue={reason ?? ''}
      />
      <input
        key={`agent ${agent}`}
        name="agent"
        aria-label="Agent"
        placeholder="Agent"
        defaultValue={agent ?? ''}
      />
      <button type="submit">Filter</button>
    </form>
  )
}
