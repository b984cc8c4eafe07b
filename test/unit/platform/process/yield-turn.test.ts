/** Turns of long work, on a clock that moves only with the work. */
import { beforeEach, expect, test } from '@jest/globals'
import { createYieldTurn, runInTurns, yieldTurn } from '../../../../platform/process/yield-turn.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

let clock = 0
let done: string[] = []

beforeEach(() => {
  clock = 0
  done = []
})

/** Steps of one millisecond each. */
async function work(name: string, steps: number, pause: () => Promise<void> | undefined) {
  for (let step = 0; step < steps; step++) {
    await pause()
    done.push(name)
    clock += 1
  }
}

/** What is done in each turn of the event loop; to be called before the work begins. */
async function turnsOf(steps: number): Promise<string[]> {
  const turns: string[] = []
  while (turns.join('').length < steps) {
    await nextTurn()
    turns.push(done.slice(turns.join('').length).join(''))
  }
  return turns
}

test('work that fits in a turn is never interrupted', async () => {
  const pause = createYieldTurn({ turnMs: 5, now: () => clock })
  expect(pause()).toBeUndefined()
  clock += 4
  expect(pause()).toBeUndefined()
})

test('longer work continues in later turns', async () => {
  const pause = createYieldTurn({ turnMs: 5, now: () => clock })
  const turns = turnsOf(12)
  await work('a', 12, pause)
  expect(await turns).toEqual(['aaaaa', 'aaaaa', 'aa'])
})

test('callers share the time of a turn, and continue one after the other', async () => {
  const pause = createYieldTurn({ turnMs: 5, now: () => clock })
  const recorded = turnsOf(30)
  await Promise.all(['a', 'b', 'c'].map((name) => work(name, 10, pause)))
  const [first = '', ...turns] = await recorded
  // A step of each may have begun before the turn was over.
  expect(first).toBe('abcabca')
  expect(turns).toEqual(['bbbbb', 'ccccc', 'aaaaa', 'bbb', 'ccc', 'aa'])
})

test('a caller that comes while others wait does not stop them', async () => {
  const pause = createYieldTurn({ turnMs: 1, now: () => clock })
  const first = work('a', 5, pause)
  while (done.filter((name) => name === 'a').length < 5) {
    void work('b', 1, pause)
    await nextTurn()
  }
  await first
  expect(done.length).toBeLessThan(20)
})

test('the one of the process yields', async () => {
  const endsAt = performance.now() + 1000
  while (yieldTurn() === undefined) expect(performance.now()).toBeLessThan(endsAt)
})

test('steps are all taken, in turns, and a refusal of one is that of all', async () => {
  function* stepsTo(last: number) {
    for (let step = 0; step < last; step++) yield
    if (last === 7) throw new Error('no')
    return last
  }
  expect(await runInTurns(stepsTo(1000))).toBe(1000)
  await expect(runInTurns(stepsTo(7))).rejects.toThrow('no')
})
