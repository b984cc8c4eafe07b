/** Tests that every kind of value is encoded as JSON, with a note for each replaced value. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { runInNewContext } from 'node:vm'
import { startEncoding, tooLarge } from '../../../../../sdk/typescript/src/encoding.ts'
import { writeValue } from '../../../../../sdk/typescript/src/encode-value.ts'

const maxLength = 100_000

function encode(value: unknown, limit = maxLength) {
  const encoding = startEncoding(limit)
  encoding.keys[0] = 'input'
  writeValue(encoding, value)
  return { text: encoding.text, notes: encoding.notes, depth: encoding.depth }
}

class Money {
  readonly amount = 5
  readonly #secret = 'hidden'
  reveal(): string {
    return this.#secret
  }
}

function nested(levels: number, inner: unknown): unknown {
  let value = inner
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

describe('JSON values', () => {
  test('are encoded as by JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }), (value) => {
        // The SDK replaces unpaired surrogates, which JSON.stringify escapes.
        fc.pre(!/\\ud/u.test(JSON.stringify(value)))
        expect(encode(value)).toEqual({ text: JSON.stringify(value), notes: [], depth: 0 })
      })
    )
  })

  test('writes JSON within the limit, or rejects the value as too large', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true }), (value) => {
        try {
          JSON.parse(encode(value, 1000).text)
        } catch (error) {
          expect(error).toBe(tooLarge)
        }
      })
    )
  })
})

describe('converted values', () => {
  const own = Object.create(null) as Record<string, unknown>
  own['__proto__'] = 1
  test.each([
    ['integers of any size', [1n, -(2n ** 80n)], '[1,-1208925819614629174706176]'],
    ['dates', new Date(0), '"1970-01-01T00:00:00.000Z"'],
    ['errors', new RangeError('no'), '{"name":"RangeError","message":"no"}'],
    [
      'maps',
      new Map<unknown, unknown>([
        [1, 'a'],
        ['1', [2]]
      ]),
      '{"1":[2]}'
    ],
    ['maps by dates', new Map([[new Date(0), 1]]), '{"1970-01-01T00:00:00.000Z":1}'],
    ['sets', new Set([1, 'b']), '[1,"b"]'],
    ['bytes', new Uint8Array([0, 255, 16]), '"data:application/octet-stream;base64,AP8Q"'],
    ['buffers', Buffer.from('a'), '"data:application/octet-stream;base64,YQ=="'],
    [
      'views',
      new DataView(new ArrayBuffer(4), 1, 1),
      '"data:application/octet-stream;base64,AA=="'
    ],
    ['memory', new ArrayBuffer(1), '"data:application/octet-stream;base64,AA=="'],
    ['objects with toJSON', { toJSON: () => ({ a: 1n }) }, '{"a":1}'],
    ['addresses', new URL('https://a.example'), '"https://a.example/"'],
    ['objects of a class', new Money(), '{"amount":5}'],
    ['boxes', [Object(1), Object('a'), Object(true), Object(2n)], '[1,"a",true,2]'],
    ['undefined', { a: undefined, b: [undefined] }, '{"b":[null]}'],
    ['a member named __proto__', own, '{"__proto__":1}'],
    ['minus zero', -0, '0'],
    [
      'values of another realm',
      runInNewContext('[new Date(0), new Map([[1, {}]]), [new Set([1])]]'),
      '["1970-01-01T00:00:00.000Z",{"1":{}},[[1]]]'
    ]
  ])('%s', (_, value, text) => {
    expect(encode(value)).toEqual({ text, notes: [], depth: 0 })
  })

  test('does not treat a repeated value as a cycle', () => {
    const value = { a: [1] }
    expect(encode([value, value, { value }]).notes).toEqual([])
  })
})

describe('replaced values, with notes', () => {
  const cycle: { self?: unknown } = {}
  cycle.self = [cycle]
  const revoked = Proxy.revocable({}, {})
  revoked.revoke()
  const closed = new Proxy([1], {
    getPrototypeOf: () => {
      throw new SyntaxError('no')
    }
  })
  const refusing = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new SyntaxError('no')
      }
    }
  )
  test.each([
    [
      'not a number',
      [NaN, Infinity, -Infinity],
      '["NaN","Infinity","-Infinity"]',
      ['/0: not_finite', '/1: not_finite', '/2: not_finite']
    ],
    ['a circle', cycle, '{"self":["[circular]"]}', ['/self/0: circular']],
    [
      'functions',
      [function f() {}, () => 1, Money],
      '["[function f]","[function anonymous]","[function Money]"]',
      ['/0: not_data', '/1: not_data', '/2: not_data']
    ],
    ['symbols', Symbol('s'), '"[symbol s]"', [': not_data']],
    ['blobs', { b: new Blob(['x']) }, '{"b":"[blob]"}', ['/b: not_data']],
    [
      'values that are not data',
      [Promise.resolve(), /x/u, new WeakMap()],
      '["[Promise]","[RegExp]","[WeakMap]"]',
      ['/0: not_data', '/1: not_data', '/2: not_data']
    ],
    [
      'a getter that throws',
      {
        get a() {
          throw new RangeError('secret')
        },
        b: 1
      },
      '{"a":"[error: RangeError]","b":1}',
      ['/a: unreadable']
    ],
    [
      'a toJSON that throws',
      {
        a: {
          toJSON() {
            throw null as unknown
          }
        }
      },
      '{"a":"[error: object]"}',
      ['/a: unreadable']
    ],
    ['an invalid date', [new Date(NaN)], '["[error: RangeError]"]', ['/0: unreadable']],
    ['a revoked proxy', [revoked.proxy], '["[error: TypeError]"]', ['/0: unreadable']],
    ['an array that throws', [closed, NaN], '[[1],"NaN"]', ['/1: not_finite']],
    ['a proxy that throws', [refusing], '["[error: SyntaxError]"]', ['/0: unreadable']],
    [
      'an unpaired surrogate',
      ['a\ud800', '\udfff\ud83d\ude00', '\\ud800'],
      '["a\ufffd","\ufffd\ud83d\ude00","\\\\ud800"]',
      ['/0: surrogate', '/1: surrogate']
    ],
    [
      'an unpaired surrogate in a name',
      { x: NaN, 'a\ud800': [NaN] },
      '{"x":"NaN","a\ufffd":["NaN"]}',
      ['/a\ufffd: surrogate', '/x: not_finite', '/a\ufffd/0: not_finite']
    ],
    [
      'names that become equal',
      { '\ud800': 1, '\udfff': 2, '\ufffd': 3 },
      '{"\ufffd":3}',
      ['/\ufffd: surrogate', '/\ufffd: surrogate']
    ],
    [
      'a name with JSON Pointer escapes',
      { 'a/b~c': NaN },
      '{"a/b~c":"NaN"}',
      ['/a~1b~0c: not_finite']
    ]
  ])('%s', (_, value, text, notes) => {
    expect(encode(value)).toEqual({ text, notes: notes.map((note) => `/input${note}`), depth: 0 })
  })

  test('replaces values below 56 levels, and does not count a date as a level', () => {
    expect(encode(nested(56, new Date(0))).notes).toEqual([])
    const { text, notes } = encode(nested(57, 1))
    expect(text).toContain('"[too deep]"')
    expect(notes).toEqual([expect.stringMatching(/: too_deep$/u)])
    expect(encode(nested(100_000, 1)).notes).toHaveLength(1)
  })

  test('terminates if toJSON returns an object with toJSON', () => {
    const endless = () => ({ toJSON: endless })
    expect(encode(endless()).notes).toEqual(['/input: too_deep'])
  })
})

describe('values that are too large', () => {
  const million = 1_000_000
  test.each([
    ['a text', 'x'.repeat(million)],
    ['many values', Array.from({ length: 20 }, () => 'x'.repeat(100))],
    ['a sparse array', new Array(2 ** 31)],
    ['a large set', new Set(Array.from({ length: 10_000 }, (_, index) => index))],
    ['bytes', new Uint8Array(million)],
    ['an integer', 1n << 100_000n],
    ['a name', { ['x'.repeat(million)]: 1 }]
  ])('%s', (_, value) => {
    expect(() => encode(value, 1000)).toThrow(tooLarge)
  })

  test('stops at the limit', () => {
    let reads = 0
    const list = new Proxy([], {
      get: (_, name) => (name === 'length' ? 900 : ++reads && 'x'.repeat(100))
    })
    expect(() => encode(list, 1000)).toThrow(tooLarge)
    expect(reads).toBeLessThan(20)
  })
})
