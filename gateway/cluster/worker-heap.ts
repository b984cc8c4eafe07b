/** Which share of the heap a worker gets: each would take itself for the only process there. */

const mebibyte = 1024 * 1024
/** Below this a gateway with many connections would be busy collecting garbage. */
const heapMegabytesMin = 256
const option = '--max-old-space-size'

export interface HeapOfPrimary {
  /** What V8 gives the primary, by the memory of the machine or container. */
  readonly limitBytes: number
  readonly execArgv: readonly string[]
  /** NODE_OPTIONS. */
  readonly nodeOptions: string
}

/** Options of Node for each of so many workers; none where somebody has set the limit himself. */
export function workerHeapArgs(workers: number, primary: HeapOfPrimary): string[] {
  const { limitBytes, execArgv, nodeOptions } = primary
  // Node takes its options with underscores, too.
  const set = [...execArgv, nodeOptions].join(' ').replaceAll('_', '-')
  if (set.includes(option)) return []
  const share = Math.floor(limitBytes / mebibyte / workers)
  return [`${option}=${Math.max(share, heapMegabytesMin)}`]
}
