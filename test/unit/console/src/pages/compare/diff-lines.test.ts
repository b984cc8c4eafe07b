/** Tests that a comparison contains every line of both texts and the longest common part, and that
 * texts that are too long to compare are shown as different.
 */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { diffLines } from '../../../../../../console/src/pages/compare/diff-lines.ts'

function differencesOf(left: string, right: string): string[] {
  const parts = diffLines([...left], [...right])
  return parts.map(({ kind, lines }) => `${kind} ${lines.join('')}`)
}

test.each([
  ['abc', 'abc', ['same abc']],
  ['abc', 'abXc', ['same ab', 'right X', 'same c']],
  ['abXc', 'abc', ['same ab', 'left X', 'same c']],
  ['aXbYc', 'aZbc', ['same a', 'left X', 'right Z', 'same b', 'left Y', 'same c']],
  ['', 'ab', ['right ab']],
  ['', '', []]
])('compares %j with %j', (left, right, parts) => {
  expect(differencesOf(left, right)).toEqual(parts)
})

test('contains every line of both texts, and the longest common part', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 })
  fc.assert(
    fc.property(letters, letters, (left, right) => {
      const parts = diffLines([...left], [...right])
      const textOf = (...kinds: string[]) =>
        parts.flatMap(({ kind, lines }) => (kinds.includes(kind) ? lines : [])).join('')
      expect([textOf('same', 'left'), textOf('same', 'right')]).toEqual([left, right])
      expect(textOf('same')).toHaveLength(longestCommon(left, right))
    }),
    { seed: 20_261_127, numRuns: 500 }
  )
})

test('shows texts that are too long to compare as different', () => {
  const [left, right] = [
    Array.from({ length: 3000 }, String),
    Array.from({ length: 3000 }, () => 'x')
  ]
  expect(diffLines(left, right).map(({ kind }) => kind)).toEqual(['left', 'right'])
})

function longestCommon(left: string, right: string): number {
  if (left === '' || right === '') return 0
  const [one, other] = [left.slice(1), right.slice(1)]
  if (left[0] === right[0]) return 1 + longestCommon(one, other)
  return Math.max(longestCommon(one, right), longestCommon(left, other))
}
