/** Tests that a bounded cache evicts exactly the least recently used entries. */
import { expect, test } from '@jest/globals'
import { createCache } from '../../../../platform/process/cache.ts'

const value = (n: number) => ({ n })

test('keeps, replaces and deletes', () => {
  const cache = createCache<{ n: number }>(2)
  expect(cache.get('a')).toBeUndefined()
  cache.set('a', value(1))
  cache.set('a', value(2))
  expect(cache.get('a')).toEqual({ n: 2 })
  cache.delete('a')
  cache.delete('never set')
  expect(cache.get('a')).toBeUndefined()
})

test('evicts the least recently used entry; a read counts as use', () => {
  const cache = createCache<{ n: number }>(2)
  cache.set('a', value(1))
  cache.set('b', value(2))
  cache.get('a')
  cache.set('c', value(3))
  expect(cache.get('b')).toBeUndefined()
  expect(cache.get('a')).toEqual({ n: 1 })
  expect(cache.get('c')).toEqual({ n: 3 })
})

test('never exceeds its maximum', () => {
  const cache = createCache<{ n: number }>(10)
  const keys = Array.from({ length: 1000 }, (_, n) => `key-${n}`)
  keys.forEach((key, n) => cache.set(key, value(n)))
  const held = keys.filter((key) => cache.get(key) !== undefined)
  expect(held).toEqual(keys.slice(-10))
})

test('treats names of object properties as plain keys', () => {
  const cache = createCache<{ n: number }>(10)
  expect(cache.get('__proto__')).toBeUndefined()
  cache.set('__proto__', value(1))
  expect(cache.get('__proto__')).toEqual({ n: 1 })
  expect(cache.get('constructor')).toBeUndefined()
})

test('is limited by size, and does not keep a larger entry', () => {
  const cache = createCache<{ n: number }>(10, { max: 100, of: ({ n }) => n })
  cache.set('a', value(60))
  cache.set('b', value(40))
  cache.set('c', value(1))
  cache.set('d', value(101))
  const held = ['a', 'b', 'c', 'd'].filter((key) => cache.get(key) !== undefined)
  expect(held).toEqual(['b', 'c'])
})
