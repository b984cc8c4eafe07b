/** Samples a value periodically while a measurement runs. */

/**
 * Calls `look` every `everyMs` until `work` ends. Resolves with the result of `work` and the
 * samples.
 */
export async function sampleWhile<Result, Sample>(
  work: Promise<Result>,
  everyMs: number,
  look: () => Promise<Sample> | Sample
): Promise<{ result: Result; samples: Sample[] }> {
  const samples: Sample[] = []
  let looking = Promise.resolve()
  let isLooking = false
  const timer = setInterval(() => {
    // Skips a sample while the previous one is running.
    if (!isLooking) looking = takeSample()
  }, everyMs)

  async function takeSample(): Promise<void> {
    isLooking = true
    try {
      samples.push(await look())
    } catch {
      // Ignores the failed sample, because a busy process may not respond in time.
    }
    isLooking = false
  }

  try {
    return { result: await work, samples }
  } finally {
    clearInterval(timer)
    await looking
  }
}
