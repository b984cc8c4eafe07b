/** Few pieces of work at once, in the order in which they came. */
import { expect, test } from '@jest/globals'
import { createInTurn } from '../../../../api/streams/in-turn.ts'

test('so many run at once, and all have their turn, whether they fail or not', async () => {
  const inTurn = createInTurn(2)
  let running = 0
  let most = 0
  const begun: number[] = []
  const work = (index: number) => async () => {
    begun.push(index)
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    if (index % 3 === 0) throw new Error('failed')
    return index
  }
  const ten = Array.from({ length: 10 }, (_, index) => index)
  const outcomes = await Promise.allSettled(ten.map((index) => inTurn(work(index))))
  expect(most).toBe(2)
  expect(begun).toEqual(ten)
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(
    ten.map((index) => index % 3 !== 0)
  )
  expect(await inTurn(async () => 'free again')).toBe('free again')
})
