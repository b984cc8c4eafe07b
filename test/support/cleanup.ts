/** Runs the cleanups of a test file in reverse order, and fails if a connection stays open. */
import { afterAll } from '@jest/globals'
import { waitUntil } from './wait-until.ts'

type Cleanup = () => Promise<unknown>

const timeoutMs = 90_000
const closingMs = 10_000
/**
 * Node resource types that count as leaks. Child processes are excluded because jest itself can
 * have some.
 */
const leaks = ['TCPSocketWrap', 'TCPServerWrap']

const cleanups: Cleanup[] = []
const openBefore = countOpen()

/** Registers a cleanup. Call this immediately after creating the resource. */
export function onEnd(cleanup: Cleanup): void {
  cleanups.push(cleanup)
}

/** Returns the number of sockets and listening servers that this process has open. */
function countOpen(): number {
  return process.getActiveResourcesInfo().filter((name) => leaks.includes(name)).length
}

/** Runs all cleanups, even if one fails, so that no other resource leaks. */
async function cleanUp(): Promise<void> {
  const failures: unknown[] = []
  // A cleanup can register another one, which runs next.
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
    await cleanup().catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0) throw new AggregateError(failures, 'cleanup failed')
  await waitUntil('every connection to be closed', () => countOpen() <= openBefore, closingMs)
}

afterAll(cleanUp, timeoutMs)
