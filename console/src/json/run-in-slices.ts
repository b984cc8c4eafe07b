/** Runs long work in slices, so that the page responds to the user in between. */
import type { Steps } from '../../../core/json/steps.ts'

const sliceMs = 40

/** Returns the result of the steps, or null if the signal was aborted first. */
export async function runInSlices<T>(steps: Steps<T>, signal: AbortSignal): Promise<T | null> {
  while (!signal.aborted) {
    const until = performance.now() + sliceMs
    do {
      const step = steps.next()
      if (step.done === true) return step.value
    } while (performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve))
  }
  return null
}
