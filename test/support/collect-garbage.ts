/** Forces a full garbage collection, for tests that check that memory is released. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/**
 * Collects in a later turn of the event loop, because dereferencing a WeakRef keeps its target
 * alive until the current turn ends.
 */
export async function collectGarbage(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  collect()
}
