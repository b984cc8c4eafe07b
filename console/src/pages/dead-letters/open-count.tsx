/** Counts the open dead-letter records in the rail. */
import { useRecords } from './use-records.ts'

const openRecords = { state: 'open', step: null, reason: null, agent: null } as const
const pollMs = 30_000

export function OpenCount() {
  const { matched = '0' } = useRecords(openRecords, pollMs)
  if (matched === '0') return null
  return (
    <>
      {' '}
      <span className="pill bad">{matched}</span>
    </>
  )
}
