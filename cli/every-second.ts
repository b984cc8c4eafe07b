/** Progress for people: at most one line a second, however often something happens. */

const everyMs = 1000

export function everySecond(tell: (line: string) => void): (line: string) => void {
  let nextAt = performance.now() + everyMs
  return (line) => {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + everyMs
    tell(line)
  }
}
