/** Cleans up after a test file, last made first ended, and shows that nothing stays open. */
import { afterAll } from '@jest/globals'
import { waitUntil } from './wait-until.ts'

type Cleanup = () => Promise<unknown>

const timeoutMs = 90_000
const closingMs = 10_000
/** As Node names them. Child processes are not among them: jest has some of its own, at times. */
const leaks = ['TCPSocketWrap', 'TCPServerWrap']

const cleanups: Cleanup[] = []
const openBefore = countOpen()

/** Whatever makes something says here how it ends, in the same breath. */
export function onEnd(cleanup: Cleanup): void {
  cleanups.push(cleanup)
}

/** How many connections and listening ports this test file holds open. */
export function countOpen(): number {
  return process.getActiveResourcesInfo().filter((name) => leaks.includes(name)).length
}

/** Goes on after a cleanup that failed, so that one broken part leaves no others behind. */
async function cleanUp(): Promise<void> {
  const failures: unknown[] = []
  // A cleanup may open something for its work, which then ends next.
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
    await cleanup().catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw new AggregateError(failures, 'the clean-up failed')
  await waitUntil('every connection closed', () => countOpen() <= openBefore, closingMs)
}

afterAll(cleanUp, timeoutMs)
