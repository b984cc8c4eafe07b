/** Tests that concurrency is limited whether tasks succeed or fail. */
import { expect, test } from '@jest/globals'
import { createAtMost } from '../../../../platform/process/at-most.ts'

test('other tasks wait in order, and a failure frees a slot as well', async () => {
  const atMost = createAtMost(2)
  const begun: number[] = []
  const works = [0, 1, 2, 3].map(() => Promise.withResolvers<string>())
  const answers = works.map(({ promise }, index) =>
    atMost(() => {
      begun.push(index)
      return promise
    }).catch((error: unknown) => `failed: ${(error as Error).message}`)
  )
  expect(begun).toEqual([0, 1])
  works[1]?.reject(new Error('broken'))
  expect(await answers[1]).toBe('failed: broken')
  expect(begun).toEqual([0, 1, 2])
  works[0]?.resolve('a')
  works[2]?.resolve('c')
  works[3]?.resolve('d')
  expect(await Promise.all(answers)).toEqual(['a', 'failed: broken', 'c', 'd'])
  expect(await atMost(() => Promise.resolve('later'))).toBe('later')
})
