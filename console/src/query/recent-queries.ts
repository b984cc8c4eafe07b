/** The last queries of the user. The browser keeps them until the user signs out. */
import { parseJson } from '../api/parse-json.ts'

const name = 'sluice.queries'
const queriesMax = 10
/** Matches text that may be a pasted credential. A query that contains it is not stored. */
const secret = /sl[a-z]_|eyJ|bearer|password|secret/i

export function recentQueries(): readonly string[] {
  return parseJson<string[]>(localStorage.getItem(name) ?? '[]')
}

export function rememberQuery(text: string): void {
  if (text === '' || secret.test(text)) return
  const others = recentQueries().filter((each) => each !== text)
  localStorage.setItem(name, JSON.stringify([text, ...others].slice(0, queriesMax)))
}

export function forgetQueries(): void {
  localStorage.removeItem(name)
}
