/** Lets few pieces of work run at once; the others wait in line. */
import { createLine } from '../../http/admission/line.ts'

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

export function createInTurn(atOnceMax: number): InTurn {
  const line = createLine<() => void>()
  let running = 0

  return async function inTurn(work) {
    if (running >= atOnceMax) await new Promise<void>((resolve) => line.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      // Whoever is next takes over the place.
      const next = line.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
