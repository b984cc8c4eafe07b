/** V8's heap, set for processes through which much passes and in which little stays: gateways and
 * consumers.
 *
 * Four habits of V8 cost a gateway a third of its time and more, two of them in some processes and
 * not in others, and two after every quiet; docs/adr/0042-settings-of-the-heap.md measured them.
 */
import { setFlagsFromString } from 'node:v8'

const flags = [
  // After a burst V8 makes objects of some kinds where old ones are, for they had lived long. They
  // die young as ever, but are found dead only by a full collection, and keep alive until then
  // whatever they refer to: the text of each request, which is copied and becomes old as well.
  '--no-allocation-site-pretenuring',
  // Buffers are not on the heap. Without this V8 collects all of it whenever there are 64 MB more
  // of them than after the last time; with it they count towards the limit of everything else.
  '--external-memory-accounted-in-global-limit',
  // That limit is what was alive after a full collection, times a factor that V8 makes smaller
  // where collecting seems cheap or the heap may not become large: buffers of a few batches reach
  // it then, again and again. This is a factor of 2, always. Near its largest size the heap grows
  // by less, as ever.
  '--heap-growing-percent=100',
  // After eight quiet seconds V8 would collect all twice, shrink the young generation to nearly
  // nothing and throw away compiled code: who comes next would wait for all of it to come back.
  '--memory-reducer-gc-count=0'
] as const

/** To be called before the process serves: what is compiled then keeps to it. */
export function setUpHeap(): void {
  for (const flag of flags) setFlagsFromString(flag)
}
