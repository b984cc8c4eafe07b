/** Applies steps to the items of a batch. A rejected item is replaced by its problem. */
import { Problem } from '../../core/problem.ts'
import { yieldToEventLoop } from '../../platform/process/yield-to-event-loop.ts'
import type { Quota } from './limit-rate.ts'

/** An item, or the problem for which it was rejected. */
export type Item<T> = T | Problem

/** Common type of `each` and `eachYielding`. */
export type EachItem = <T, R>(
  items: readonly Item<T>[],
  step: Step<T, R>
) => Item<R>[] | Promise<Item<R>[]>

type Step<T, R> = (item: T, index: number) => R

/** Applies the step to every item that has not been rejected. */
export function each<T, R>(items: readonly Item<T>[], step: Step<T, R>): Item<R>[] {
  return items.map((item, index) => takeStep(item, index, step))
}

/**
 * Works like `each`, but yields to the event loop between items, about once per millisecond of
 * work. Use it for batches that would block the event loop for too long.
 */
export async function eachYielding<T, R>(
  items: readonly Item<T>[],
  step: Step<T, R>
): Promise<Item<R>[]> {
  const results: Item<R>[] = []
  for (const [index, item] of items.entries()) {
    await yieldToEventLoop()
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

/**
 * Keeps the items that the quota covers and replaces the others with the quota's problem. Items
 * that are already rejected stay unchanged.
 */
export function admit<T>(items: readonly Item<T>[], { granted, problem }: Quota): Item<T>[] {
  if (problem === null) return [...items]
  return items.map((item, index) => (index < granted || item instanceof Problem ? item : problem))
}

/** Rejects every item for which `problemOf` returns a problem. */
export async function rejectEach<T>(
  items: readonly Item<T>[],
  problemOf: (item: T) => Problem | null | Promise<Problem | null>
): Promise<Item<T>[]> {
  const found = items.map((item) => (item instanceof Problem ? null : problemOf(item)))
  // Usually no result is a promise, and awaiting a thousand plain values would cost more than the
  // work itself.
  const isKnown = found.every((problem) => !(problem instanceof Promise))
  const problems = isKnown ? found : await Promise.all(found.map(async (problem) => await problem))
  return items.map((item, index) => (problems[index] as Problem | null) ?? item)
}
