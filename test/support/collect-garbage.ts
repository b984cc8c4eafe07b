/** A full collection, for tests of what is not kept. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What a WeakRef was made of, or gave out, is kept until the next turn of the event loop. */
export async function collectGarbage(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  collect()
}
