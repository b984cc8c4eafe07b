/** Tests ids: their version and variant bits, their order by time, and the test vectors of RFC
 * 9562.
 */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createUuidv5, isUuid, uuidPattern, uuidv5, uuidv7 } from '../../../../core/ids/ids.ts'
import { noon } from '../../../support/builders.ts'

const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
const url = '6ba7b811-9dad-11d1-80b4-00c04fd430c8'
const timeMax = 2 ** 48 - 1
const times = fc.integer({ min: 0, max: timeMax })

describe('uuidv7', () => {
  test('carries its time, version 7 and the variant of RFC 9562', () => {
    fc.assert(
      fc.property(times, (ms) => {
        const id = uuidv7(ms)
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(ms)
      })
    )
  })

  test('sorts as text by creation time', () => {
    fc.assert(
      fc.property(times, times, (left, right) => {
        fc.pre(left !== right)
        expect(uuidv7(left) < uuidv7(right)).toBe(left < right)
      })
    )
  })

  test('differs each time, even beyond one block of random bytes', () => {
    const ids = Array.from({ length: 5000 }, () => uuidv7(noon))
    expect(new Set(ids).size).toBe(5000)
    const randomParts = ids.map((id) => id.slice(14))
    expect(new Set(randomParts).size).toBe(5000)
  })

  test('varies every random bit', () => {
    const drawn = Array.from({ length: 500 }, () => BigInt(`0x${uuidv7(0).replaceAll('-', '')}`))
    const everOne = drawn.reduce((bits, id) => bits | id, 0n)
    const alwaysOne = drawn.reduce((bits, id) => bits & id, 2n ** 128n - 1n)
    expect(everOne.toString(16)).toBe('7fffbfffffffffffffff')
    expect(alwaysOne.toString(16)).toBe('70008000000000000000')
  })

  test.each([-1, timeMax + 1])('rejects the time %d, which does not fit 48 bits', (ms) => {
    expect(() => uuidv7(ms)).toThrow(/out of range/)
  })
})

describe('uuidv5', () => {
  test.each([
    // From RFC 9562, appendix A.4.
    [dns, 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
    [dns, 'python.org', '886313e1-3b8a-5372-9b90-0c9aee199e5d'],
    [dns, '', '4ebd0208-8328-5d69-8c44-ec50939c0967'],
    [url, 'http://example.com/é', 'b4227355-a932-55b8-a997-0c7e5b3aaf10']
  ])('of %s and %j is %s', (namespace, name, id) => {
    expect(uuidv5(namespace, name)).toBe(id)
    expect(uuidv5(namespace.toUpperCase(), name)).toBe(id)
  })

  test('is reproducible, and differs by namespace and name', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string(), fc.uuid(), fc.string(), (space, name, other, text) => {
        fc.pre(space !== other && name !== text)
        expect(uuidv5(space, name)).toBe(uuidv5(space, name))
        expect(isUuid(uuidv5(space, name))).toBe(true)
        expect(createUuidv5(space)(name)).toBe(uuidv5(space, name))
        expect(uuidv5(space, name)).not.toBe(uuidv5(other, name))
        expect(uuidv5(space, name)).not.toBe(uuidv5(space, text))
      })
    )
  })
})

test.each([
  [dns, true],
  [dns.toUpperCase(), true],
  ['00000000-0000-0000-0000-000000000000', true],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', true],
  ['', false],
  [dns.replaceAll('-', ''), false],
  [`{${dns}}`, false],
  [`urn:uuid:${dns}`, false],
  [`${dns}\n`, false],
  [` ${dns}`, false],
  [dns.slice(1), false],
  [`${dns}0`, false],
  [dns.replace('6', 'g'), false],
  [dns.replace('6', '６'), false],
  [dns.replaceAll('-', '_'), false]
])('isUuid of %j is %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected)
  expect(new RegExp(uuidPattern).test(text)).toBe(expected)
})

test('a reused namespace gives the same ids in any order, even for long names', () => {
  const namespace = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
  const nameIn = createUuidv5(namespace)
  for (const name of ['a', 'x'.repeat(5000), 'b', '', 'ü'.repeat(2000), 'a']) {
    expect(nameIn(name)).toBe(uuidv5(namespace, name))
  }
})
