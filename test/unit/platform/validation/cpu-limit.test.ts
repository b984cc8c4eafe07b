/** The limit: what ends in time returns, what does not is ended, and the process goes on. */
import { expect, test } from '@jest/globals'
import { CpuLimitError, cpuLimit } from '../../../../platform/validation/cpu-limit.ts'

function spin(): void {
  for (let turn = 0; turn >= 0; turn = (turn + 1) % 1000);
}

test('what ends in time returns its value', () => {
  expect(cpuLimit(() => ({ a: [1] }), 1000)).toEqual({ a: [1] })
  expect(cpuLimit(() => undefined, 1000)).toBeUndefined()
})

test('what it throws is thrown on', () => {
  const mine = new TypeError('mine')
  expect(() =>
    cpuLimit(() => {
      throw mine
    }, 1000)
  ).toThrow(mine)
})

test('a loop without end is ended, and the next call is a new one', () => {
  expect(() => cpuLimit(spin, 20)).toThrow(CpuLimitError)
  expect(cpuLimit(() => 'next', 1000)).toBe('next')
})

test('an expression that backtracks for ever is ended', () => {
  const text = `${'a'.repeat(60)}!`
  expect(() => cpuLimit(() => /^(a+)+$/.test(text), 20)).toThrow(CpuLimitError)
})

test('what was done until then stays done', () => {
  const done: number[] = []
  const work = () => {
    done.push(1)
    spin()
  }
  expect(() => cpuLimit(work, 20)).toThrow('took more than 20 ms')
  expect(done.length).toBeGreaterThanOrEqual(1)
})

test('it tells what it really computed', () => {
  let thrown: unknown
  try {
    cpuLimit(spin, 30)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(CpuLimitError)
  const { computedMs } = thrown as CpuLimitError
  expect(computedMs).toBeGreaterThan(0)
})

test('a limit within a limit ends only what is within it', () => {
  const result = cpuLimit(() => {
    try {
      cpuLimit(spin, 20)
    } catch {
      return 'inner ended'
    }
    return 'inner went on'
  }, 60_000)
  expect(result).toBe('inner ended')
})
