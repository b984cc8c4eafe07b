/** Tests that long work yields to the event loop, with a clock that advances only with the work. */
import { beforeEach, expect, test } from '@jest/globals'
import {
  createYieldToEventLoop,
  runStepsYielding,
  yieldToEventLoop
} from '../../../../platform/process/yield-to-event-loop.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

let clock = 0
let done: string[] = []

beforeEach(() => {
  clock = 0
  done = []
})

/** Runs steps of one millisecond each. */
async function work(name: string, steps: number, pause: () => Promise<void> | undefined) {
  for (let step = 0; step < steps; step++) {
    await pause()
    done.push(name)
    clock += 1
  }
}

/**
 * Records the work of each iteration of the event loop. It must be called before the work begins.
 */
async function turnsOf(steps: number): Promise<string[]> {
  const turns: string[] = []
  while (turns.join('').length < steps) {
    await nextTurn()
    turns.push(done.slice(turns.join('').length).join(''))
  }
  return turns
}

test('work that fits in one iteration is never interrupted', async () => {
  const pause = createYieldToEventLoop({ turnMs: 5, now: () => clock })
  expect(pause()).toBeUndefined()
  clock += 4
  expect(pause()).toBeUndefined()
})

test('longer work continues in later iterations', async () => {
  const pause = createYieldToEventLoop({ turnMs: 5, now: () => clock })
  const turns = turnsOf(12)
  await work('a', 12, pause)
  expect(await turns).toEqual(['aaaaa', 'aaaaa', 'aa'])
})

test('callers share the time of an iteration, and continue one after the other', async () => {
  const pause = createYieldToEventLoop({ turnMs: 5, now: () => clock })
  const recorded = turnsOf(30)
  await Promise.all(['a', 'b', 'c'].map((name) => work(name, 10, pause)))
  const [first = '', ...turns] = await recorded
  // Steps that began before the time was used up still run.
  expect(first).toBe('abcabca')
  expect(turns).toEqual(['bbbbb', 'ccccc', 'aaaaa', 'bbb', 'ccc', 'aa'])
})

test('a new caller does not stop those that wait', async () => {
  const pause = createYieldToEventLoop({ turnMs: 1, now: () => clock })
  const first = work('a', 5, pause)
  while (done.filter((name) => name === 'a').length < 5) {
    void work('b', 1, pause)
    await nextTurn()
  }
  await first
  expect(done.length).toBeLessThan(20)
})

test('the shared instance yields', async () => {
  const endsAt = performance.now() + 1000
  while (yieldToEventLoop() === undefined) expect(performance.now()).toBeLessThan(endsAt)
})

test('all steps run, with yields in between, and a rejected step rejects all', async () => {
  function* stepsTo(last: number) {
    for (let step = 0; step < last; step++) yield
    if (last === 7) throw new Error('no')
    return last
  }
  expect(await runStepsYielding(stepsTo(1000))).toBe(1000)
  await expect(runStepsYielding(stepsTo(7))).rejects.toThrow('no')
})
