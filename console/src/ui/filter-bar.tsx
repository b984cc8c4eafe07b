/** Selects that filter a list. What they choose is in the URL. */
import { parseAsString, useQueryStates } from 'nuqs'
import { visible } from '../text/visible.ts'
import { labelOf } from './members.tsx'

type Choices = readonly (readonly [value: string, name: string])[]

/** Returns the filters that are set, and a function that sets others. There is always a `from`. */
export function useFilters(names: readonly string[]) {
  const all = Object.fromEntries(names.map((name) => [name, parseAsString]))
  const parsers = { ...all, from: parseAsString.withDefault('-7d') }
  const [filters, setFilters] = useQueryStates(parsers, { history: 'push' })
  const set = Object.entries(filters).filter(([, value]) => value !== null)
  return [Object.fromEntries(set) as Readonly<Record<string, string>>, setFilters] as const
}

interface FilterBarProps {
  /** The result of `useFilters`. */
  readonly filters: ReturnType<typeof useFilters>
  /** The choices of each filter. An empty value means that it is not set. */
  readonly choices: Readonly<Record<string, Choices>>
}

export function FilterBar({ filters: [filter, setFilters], choices }: FilterBarProps) {
  return (
    <p className="actions">
      {Object.entries(choices).map(([name, values]) => (
        <select
          key={name}
          aria-label={labelOf(name)}
          value={filter[name] ?? ''}
          onChange={({ target }) => void setFilters({ [name]: target.value || null })}
        >
          {choicesOf(filter[name], values).map(([value, label]) => (
            <option key={value} value={value}>
              {visible(label)}
            </option>
          ))}
        </select>
      ))}
    </p>
  )
}

/** A link may choose a value that is not listed. */
function choicesOf(chosen: string | undefined, values: Choices): Choices {
  return [...new Map(chosen === undefined ? values : [[chosen, chosen], ...values])]
}
