/** Looks at something again and again while something else runs. */

/** Resolves with the result of `work` and what `look` saw every `everyMs` meanwhile. */
export async function sampleWhile<Result, Sample>(
  work: Promise<Result>,
  everyMs: number,
  look: () => Promise<Sample> | Sample
): Promise<{ result: Result; samples: Sample[] }> {
  const samples: Sample[] = []
  let looking = Promise.resolve()
  let isLooking = false
  const timer = setInterval(() => {
    // A look that takes longer than the pause is not overtaken by the next.
    if (!isLooking) looking = takeSample()
  }, everyMs)

  async function takeSample(): Promise<void> {
    isLooking = true
    try {
      samples.push(await look())
    } catch {
      // What is busy may not answer in time; the next look is soon.
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
