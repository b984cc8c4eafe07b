/** Tests that calls within the CPU limit return, and that longer calls are canceled. */
import { expect, test } from '@jest/globals'
import { CpuLimitError, cpuLimit } from '../../../../platform/validation/cpu-limit.ts'

function spin(): void {
  for (let turn = 0; turn >= 0; turn = (turn + 1) % 1000);
}

test('returns the value of a call within the limit', () => {
  expect(cpuLimit(() => ({ a: [1] }), 1000)).toEqual({ a: [1] })
  expect(cpuLimit(() => undefined, 1000)).toBeUndefined()
})

test('rethrows an error of the call', () => {
  const mine = new TypeError('mine')
  expect(() =>
    cpuLimit(() => {
      throw mine
    }, 1000)
  ).toThrow(mine)
})

test('cancels an endless loop, and the next call works', () => {
  expect(() => cpuLimit(spin, 20)).toThrow(CpuLimitError)
  expect(cpuLimit(() => 'next', 1000)).toBe('next')
})

test('cancels an expression that backtracks endlessly', () => {
  const text = `${'a'.repeat(60)}!`
  expect(() => cpuLimit(() => /^(a+)+$/.test(text), 20)).toThrow(CpuLimitError)
})

test('keeps the effects of a cancelled call', () => {
  const done: number[] = []
  const work = () => {
    done.push(1)
    spin()
  }
  // On a busy machine, a short limit can expire before the call has begun.
  expect(() => cpuLimit(work, 500)).toThrow('took more than 500 ms')
  expect(done.length).toBeGreaterThanOrEqual(1)
})

test('reports the CPU time really used', () => {
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

test('a nested limit cancels only the inner call', () => {
  const result = cpuLimit(() => {
    try {
      cpuLimit(spin, 20)
    } catch {
      return 'inner ended'
    }
    return 'inner continued'
  }, 60_000)
  expect(result).toBe('inner ended')
})
