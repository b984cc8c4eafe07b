/** V8 heap settings: tunes V8 for gateways and consumers, which allocate many objects but retain
 * few.
 *
 * Together, the four V8 defaults that are changed here can cost a gateway a third of its CPU time
 * or more. docs/adr/0042-heap-settings.md has the measurements.
 */
import { setFlagsFromString } from 'node:v8'

const flags = [
  // During a burst, objects survive longer, so V8 begins to allocate some kinds of objects in the
  // old generation. Later objects of these kinds die young, but only a full collection frees them.
  // Until then, they retain everything they refer to, including the text of each request, which V8
  // also copies to the old generation.
  '--no-allocation-site-pretenuring',
  // Buffers live outside the heap. By default, V8 collects the whole heap whenever they grow by 64
  // MB. With this flag, they count towards the same limit as the heap.
  '--external-memory-accounted-in-global-limit',
  // V8 starts a full collection when the heap reaches a limit: its live size after the last
  // collection, times a factor. V8 lowers the factor if collections seem cheap or the heap is
  // limited; a few batches of buffers then reach the limit repeatedly. This flag fixes the factor
  // at 2, except near the maximum heap size.
  '--heap-growing-percent=100',
  // After eight idle seconds, V8 would collect twice, shrink the young generation to almost nothing
  // and discard compiled code. The next requests would wait while V8 grows the young generation and
  // compiles the code again.
  '--memory-reducer-gc-count=0'
] as const

/**
 * Sets the flags. Call it before the process serves requests, because the first flag does not
 * affect code that is already compiled.
 */
export function setUpHeap(): void {
  for (const flag of flags) setFlagsFromString(flag)
}
