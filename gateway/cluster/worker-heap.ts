/** Computes the heap limit of each worker. By default, each worker would size its heap for the
 * memory of the whole machine.
 */

const mebibyte = 1024 * 1024
/**
 * Minimum heap limit in megabytes. With less, a gateway with many connections would spend its time
 * on garbage collection.
 */
const heapMegabytesMin = 256
const option = '--max-old-space-size'

interface HeapOfPrimary {
  /** The heap limit that V8 derives from the memory of the machine or container. */
  readonly limitBytes: number
  readonly execArgv: readonly string[]
  /** Value of NODE_OPTIONS. */
  readonly nodeOptions: string
}

/** Returns the heap option for each worker, or no options if the operator has set a limit. */
export function workerHeapArgs(workers: number, primary: HeapOfPrimary): string[] {
  const { limitBytes, execArgv, nodeOptions } = primary
  // Node also accepts options with underscores.
  const set = [...execArgv, nodeOptions].join(' ').replaceAll('_', '-')
  if (set.includes(option)) return []
  const share = Math.floor(limitBytes / mebibyte / workers)
  return [`${option}=${Math.max(share, heapMegabytesMin)}`]
}
