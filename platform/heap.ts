/** V8's heap, set for processes through which much passes and in which little stays.
 *
 * Two habits of V8 cost a gateway a third of its time, in some runs and not in others, for as long
 * as it lived; docs/adr/0042-settings-of-the-heap.md has the measurements.
 */
import { setFlagsFromString } from 'node:v8'

const flags = [
  // After a burst V8 makes objects of some kinds where old ones are, for they had lived long. They
  // die young as ever, but are found dead only by a full collection, and keep alive until then
  // whatever they refer to: the text of each request, which is copied and becomes old as well.
  '--no-allocation-site-pretenuring',
  // Buffers are not on the heap. Without this V8 collects all of it whenever there are 64 MB more
  // of them than after the last time; with it they count towards the limit of everything else.
  '--external-memory-accounted-in-global-limit'
] as const

/** To be called before the process serves: what is compiled then keeps to it. */
export function setUpHeap(): void {
  for (const flag of flags) setFlagsFromString(flag)
}
