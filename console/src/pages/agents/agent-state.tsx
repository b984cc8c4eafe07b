/** The state of the pages of agents, which is in the URL, and a control that changes it. */
import { parseAsString, useQueryStates } from 'nuqs'
import type { profile } from '../../../../api/profiles/schemas.ts'
import type { WireOf } from '../../api/wire.ts'

export interface AgentPartProps {
  readonly id: string
  readonly profile: WireOf<typeof profile>
}

const text = parseAsString.withDefault('')
const parsers = {
  tab: parseAsString.withDefault('overview'),
  window: parseAsString.withDefault('7d'),
  sort: parseAsString.withDefault('-volume'),
  q: text,
  a: text,
  b: text
}

export function useAgentState() {
  return useQueryStates(parsers, { history: 'push' })
}

/** Returns the path of a part of the profile in the API. */
export function agentPath(id: string, part: string, query: Record<string, string>): string {
  const search = new URLSearchParams(query).toString()
  return `/v1/profiles/${encodeURIComponent(id)}${part}?${search}`
}

/** The windows of the list and of each profile. */
export const windows = { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days' }

interface StateSelectProps {
  readonly label: string
  readonly name: 'window' | 'sort' | 'a' | 'b'
  /** The names of the values. */
  readonly options: Readonly<Record<string, string>>
}

export function StateSelect({ label, name, options }: StateSelectProps) {
  const [{ [name]: value }, setState] = useAgentState()
  return (
    <label className="state">
      {label}
      <select value={value} onChange={(event) => void setState({ [name]: event.target.value })}>
        {Object.entries({ [value]: value, ...options }).map(([each, shown]) => (
          <option key={each} value={each}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  )
}
