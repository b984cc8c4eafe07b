/** Lists as JSON text, made in turns: a long one does not hold up the event loop. */
import { yieldTurn } from '../platform/process/yield-turn.ts'

/** @param viewOf what callers see of an entry; called for each, in order */
export async function jsonListOf<T>(
  entries: readonly T[],
  viewOf: (entry: T) => unknown
): Promise<string> {
  const texts: string[] = []
  for (const entry of entries) {
    await yieldTurn()
    texts.push(JSON.stringify(viewOf(entry)))
  }
  return `[${texts.join(',')}]`
}
