/** The state of the list of decisions. All of it is in the URL, and each change can be undone with
 * the browser's Back button.
 */
import { parseAsString, useQueryStates } from 'nuqs'

const parsers = {
  q: parseAsString.withDefault(''),
  from: parseAsString,
  to: parseAsString,
  peek: parseAsString
}

export function useListState() {
  return useQueryStates(parsers, { history: 'push' })
}

/** The range of the API if the URL has none. */
export const rangeDefault = '-7d'

export const ranges: Readonly<Record<string, string>> = {
  '-1h': 'Last hour',
  '-24h': 'Last 24 hours',
  '-7d': 'Last 7 days',
  '-30d': 'Last 30 days',
  '-90d': 'Last 90 days'
}
