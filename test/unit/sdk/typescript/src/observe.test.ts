/** Tests that an observed function behaves as before and that each call is logged. */
import { describe, expect, test } from '@jest/globals'
import { observe } from '../../../../../sdk/typescript/src/observe.ts'
import { observed } from '../../../../../sdk/typescript/src/observed.ts'
import { recorded } from '../../../../support/sdk/recorded.ts'

const refusal = new RangeError('too far')

function refuse(): never {
  throw refusal
}

async function* words(): AsyncGenerator<string, string> {
  yield 'Good '
  yield 'day'
  return 'ignored'
}

describe('a function', () => {
  test('keeps its name, length, properties and this', () => {
    const { observer } = recorded()
    function answer(this: unknown, _question: string): unknown {
      return this
    }
    const seen = observe(observer, Object.assign(answer, { version: 3 }))
    expect([seen.name, seen.length, seen.version]).toEqual(['answer', 1, 3])
    const self = { seen }
    expect(self.seen('?')).toBe(self)
  })

  test('logs its argument, result and duration', () => {
    const { observer, decisions, pass } = recorded()
    const options = { name: 'lookup', domain: 'stock', metadata: { version: 2 } }
    const seen = observe(
      observer,
      (item: { id: number }) => {
        item.id = 0
        pass(12.6)
        return ['yes']
      },
      options
    )
    expect(seen({ id: 7 })).toEqual(['yes'])
    const metadata = { name: 'lookup', version: 2, latency_ms: 13 }
    expect(decisions).toEqual([{ input: { id: 7 }, output: ['yes'], domain: 'stock', metadata }])
  })

  test.each([
    [[], null],
    [['a'], 'a'],
    [
      ['a', 2],
      ['a', 2]
    ]
  ])('with the arguments %j, logs the input %j', (args, input) => {
    const { observer, decisions } = recorded()
    observe(observer, (..._all: unknown[]) => undefined)(...args)
    expect(decisions).toMatchObject([{ input, output: 'null' }])
  })

  test('rethrows its error', () => {
    const { observer, decisions } = recorded()
    expect(() => observe(observer, refuse)()).toThrow(refusal)
    const error = { name: 'RangeError', message: 'too far' }
    expect(decisions).toMatchObject([{ output: '', metadata: { error } }])
  })

  test('logs mapped values, and never the raw value if a mapping fails', () => {
    const { observer, decisions } = recorded()
    const sum = (left: number, right: number): number => left + right
    const mapInput = (left: number): string => `left ${left}`
    const mapOutput = (output: number): string => `is ${output}`
    expect(observe(observer, sum, { mapInput, mapOutput })(1, 2)).toBe(3)
    expect(observe(observer, sum, { mapInput: refuse, mapOutput: refuse })(1, 2)).toBe(3)
    expect(decisions[0]).toMatchObject({ input: 'left 1', output: 'is 3' })
    const name = '[error: RangeError]'
    expect(decisions[1]).toMatchObject({ input: name, output: name })
  })

  test('logs in the context of the call, even if it ends in another', async () => {
    const { observer, context, decisions } = recorded()
    const { promise, resolve } = Promise.withResolvers<string>()
    const seen = observe(observer, () => promise)
    const answer = context.within({ sessionId: 's1' }, () => seen())
    context.within({ sessionId: 's2', agentId: 'other' }, () => resolve('done'))
    await answer
    expect(decisions).toMatchObject([{ sessionId: 's1', output: 'done' }])
    expect(decisions[0]).not.toHaveProperty('agentId')
  })

  test('passes through a value that is not a function', () => {
    expect(observe(recorded().observer, 5 as never)).toBe(5)
  })

  test('returns its result if nothing can be recorded', () => {
    const { observer } = recorded()
    const broken = { ...observer, now: refuse, log: refuse }
    expect(observe(broken, () => 4)()).toBe(4)
  })
})

describe('a promise', () => {
  test('resolves and rejects as before', async () => {
    const { observer, decisions } = recorded()
    expect(await observe(observer, async () => 'yes')()).toBe('yes')
    await expect(observe(observer, async () => refuse())()).rejects.toBe(refusal)
    expect(decisions).toMatchObject([{ output: 'yes' }, { output: '', metadata: { error: {} } }])
  })

  test('is returned itself if it has its own then, which only the caller calls', async () => {
    const { observer, decisions } = recorded()
    let asked = 0
    class Query extends Promise<string> {
      readonly #rows = 'rows'
      override then: Promise<string>['then'] = (...args) => {
        asked++
        return Promise.resolve(this.#rows).then(...args)
      }
    }
    const query = new Query(() => {})
    const seen = observe(observer, () => query)()
    expect(seen).toBe(query)
    expect(asked).toBe(0)
    expect([await seen, await seen, await seen.finally(() => {})]).toEqual(['rows', 'rows', 'rows'])
    expect([asked, decisions.length]).toEqual([1, 1])
  })
})

describe('a stream', () => {
  async function read(stream: AsyncIterable<unknown>): Promise<unknown[]> {
    const chunks = []
    for await (const chunk of stream) chunks.push(chunk)
    return chunks
  }

  test('passes text through, and logs the joined text', async () => {
    const { observer, decisions } = recorded()
    const stream = observe(observer, words)()
    expect(decisions).toEqual([])
    expect(await read(stream)).toEqual(['Good ', 'day'])
    expect(decisions).toMatchObject([{ output: 'Good day' }])
  })

  test('is observed if a promise resolves with it', async () => {
    const { observer, decisions } = recorded()
    expect(await read(await observe(observer, async () => words())())).toHaveLength(2)
    expect(decisions).toMatchObject([{ output: 'Good day' }])
  })

  test('is logged when its consumer stops early', async () => {
    const { observer, decisions } = recorded()
    for await (const word of observe(observer, words)()) if (word !== '') break
    expect(decisions).toMatchObject([{ output: 'Good ' }])
  })

  test('is logged with the chunks before its error', async () => {
    const { observer, decisions } = recorded()
    const broken = observe(observer, async function* () {
      yield 'half'
      refuse()
    })
    await expect(read(broken())).rejects.toBe(refusal)
    const error = { name: 'RangeError', message: 'too far' }
    expect(decisions).toMatchObject([{ output: 'half', metadata: { error } }])
  })

  test('is logged as an array if its items are not text', async () => {
    const { observer, decisions } = recorded()
    const numbers = { [Symbol.asyncIterator]: () => [1, 2][Symbol.iterator]() }
    expect(await read(observe(observer, () => numbers)() as never)).toEqual([1, 2])
    expect(decisions).toMatchObject([{ output: [1, 2] }])
  })

  test('can be a synchronous generator', () => {
    const { observer, decisions } = recorded()
    const seen = observe(observer, function* (): Generator<string> {
      yield 'a'
      yield 'b'
    })
    expect([...seen()]).toEqual(['a', 'b'])
    expect(decisions).toMatchObject([{ output: 'ab' }])
  })

  test('can be a web stream, and then still be a response body', async () => {
    const { observer, decisions } = recorded()
    const bytes = new TextEncoder().encode('día')
    const seen = observe(observer, () => {
      // The two bytes of `í` arrive in different chunks.
      return ReadableStream.from([bytes.slice(0, 2), bytes.slice(2)])
    })
    expect(await new Response(seen() as ReadableStream<Uint8Array>).text()).toBe('día')
    await seen().cancel()
    expect(decisions).toMatchObject([{ output: 'día' }, { output: '' }])
  })

  test('is logged as a plain value if the object is frozen', () => {
    const { observer, decisions } = recorded()
    const frozen = Object.freeze({ [Symbol.asyncIterator]: words })
    expect(observe(observer, () => frozen)()).toBe(frozen)
    expect(decisions).toHaveLength(1)
  })
})

test('decorates a method', async () => {
  const { observer, decisions } = recorded()
  const decorate = observed(observer, { domain: 'chat' })
  class Agent {
    readonly greeting = 'Hello'
    async answer(name: string): Promise<string> {
      return `${this.greeting}, ${name}`
    }
  }
  Agent.prototype.answer = decorate(Agent.prototype.answer, { kind: 'method' })
  expect(await new Agent().answer('Ada')).toBe('Hello, Ada')
  expect(decisions).toMatchObject([{ input: 'Ada', output: 'Hello, Ada', domain: 'chat' }])
})
