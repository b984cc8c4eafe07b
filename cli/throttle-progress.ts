/** Limits progress messages to one per second. */

const everyMs = 1000

export function throttleProgress(logProgress: (line: string) => void): (line: string) => void {
  let nextAt = performance.now() + everyMs
  return (line) => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + everyMs
    logProgress(line)
  }
}
