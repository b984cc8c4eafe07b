/** Steps over the items of a batch, where a refusal stands in the place of the item it refuses. */
import { Problem } from '../../core/problem.ts'
import { yieldTurn } from '../../platform/process/yield-turn.ts'
import type { Quota } from './limit-rate.ts'

/** An item on its way, or why it goes no further. */
export type Item<T> = T | Problem

/** `each` or `eachInTurns`. */
export type EachItem = <T, R>(
  items: readonly Item<T>[],
  step: Step<T, R>
) => Item<R>[] | Promise<Item<R>[]>

type Step<T, R> = (item: T, index: number) => R

/** Takes every item that is still on its way one step further. */
export function each<T, R>(items: readonly Item<T>[], step: Step<T, R>): Item<R>[] {
  return items.map((item, index) => takeStep(item, index, step))
}

/** As `each`, in turns: for items that are so large together that they would hold others up. */
export async function eachInTurns<T, R>(
  items: readonly Item<T>[],
  step: Step<T, R>
): Promise<Item<R>[]> {
  const results: Item<R>[] = []
  for (const [index, item] of items.entries()) {
    await yieldTurn()
    results.push(takeStep(item, index, step))
  }
  return results
}

function takeStep<T, R>(item: Item<T>, index: number, step: Step<T, R>): Item<R> {
  if (item instanceof Problem) return item
  try {
    return step(item, index)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

/** The first items that the quota grants go on; what was refused before keeps its own refusal. */
export function admit<T>(items: readonly Item<T>[], { granted, refusal }: Quota): Item<T>[] {
  if (refusal === null) return [...items]
  return items.map((item, index) => (index < granted || item instanceof Problem ? item : refusal))
}

/** Every item that is still on its way goes on, unless it is told why not. */
export async function refuseEach<T>(
  items: readonly Item<T>[],
  refusalOf: (item: T) => Problem | null | Promise<Problem | null>
): Promise<Item<T>[]> {
  const asked = items.map((item) => (item instanceof Problem ? null : refusalOf(item)))
  // Nearly always it is known at once, and a thousand promises would cost more than the answers.
  const isKnown = asked.every((refusal) => !(refusal instanceof Promise))
  const refusals = isKnown ? asked : await Promise.all(asked.map(async (refusal) => await refusal))
  return items.map((item, index) => (refusals[index] as Problem | null) ?? item)
}
