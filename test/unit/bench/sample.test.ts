/** Tests that samples are taken at intervals until the work is done, and that failed samples
 * are ignored.
 */
import { expect, test } from '@jest/globals'
import { sampleWhile } from '../../../bench/sample.ts'

test('samples until the work is done, ignoring failed samples', async () => {
  const done = Promise.withResolvers<string>()
  let looks = 0
  const { result, samples } = await sampleWhile(done.promise, 1, () => {
    looks += 1
    if (looks === 2) throw new Error('busy')
    if (looks === 4) done.resolve('done')
    return looks
  })
  expect(result).toBe('done')
  expect(samples.slice(0, 3)).toEqual([1, 3, 4])
})

test('fails if the work fails', async () => {
  await expect(sampleWhile(Promise.reject(new Error('lost')), 1, () => 1)).rejects.toThrow('lost')
})
