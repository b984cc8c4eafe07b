/** The state of the list of decisions. All of it is in the URL. The browser's Back button undoes a
 * change, unless the caller replaced the history entry.
 */
import { parseAsArrayOf, parseAsBoolean, parseAsString, useQueryStates } from 'nuqs'
import { columnNames, columnsDefault } from './columns.ts'

const parsers = {
  q: parseAsString.withDefault(''),
  from: parseAsString,
  to: parseAsString,
  peek: parseAsString,
  columns: parseAsArrayOf(parseAsString).withDefault(columnsDefault),
  facets: parseAsBoolean.withDefault(true)
}

export function useListState() {
  return useQueryStates(parsers, { history: 'push' })
}

export type ListState = ReturnType<typeof useListState>[0]

/**
 * Returns the chosen columns in the order of `columnNames`. Ignores unknown names, because a link
 * may come from another version.
 */
export function chosenColumns({ columns }: Pick<ListState, 'columns'>): readonly string[] {
  return columnNames.filter((name) => columns.includes(name))
}

/** Returns the range as parameters of the API. */
export function rangeOf({ from, to }: Pick<ListState, 'from' | 'to'>) {
  return { ...(from !== null && { from }), ...(to !== null && { to }) }
}

/** The range that the API uses if the URL contains none. */
export const rangeDefault = '-7d'

export const ranges: Readonly<Record<string, string>> = {
  '-1h': 'Last hour',
  '-24h': 'Last 24 hours',
  '-7d': 'Last 7 days',
  '-30d': 'Last 30 days',
  '-90d': 'Last 90 days'
}
