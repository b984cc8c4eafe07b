/** Work on long texts in steps, so that a process can do other work in between. */

/** Yields after each step; a step looks at about `stepCharacters`. */
export type Steps<T> = Generator<undefined, T, undefined>

/** A fraction of a millisecond for every scan of a text. */
export const stepCharacters = 64 * 1024

/** A text that is longer is scanned in steps; most decisions have a few thousand characters. */
export const longText = 256 * 1024

/** Whether it is worked on in steps: at once, it would hold up everything else for too long. */
export function isLong(text: { readonly length: number }): boolean {
  return text.length > longText
}

/** Takes all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
