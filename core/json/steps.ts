/** Runs work on long texts in steps, so that the process can do other work in between. */

/** Work that yields after each step of about `stepCharacters` characters. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Number of characters per step. Scanning them takes a fraction of a millisecond. */
export const stepCharacters = 64 * 1024

/** Length above which a text is scanned in steps. Most decisions have a few thousand characters. */
export const longText = 256 * 1024

/**
 * Checks whether a text is so long that work on it must be done in steps to avoid blocking the
 * process.
 */
export function isLong(text: { readonly length: number }): boolean {
  return text.length > longText
}

/** Runs all steps without interruption. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
