/** An observed function behaves as it did, and every call of it is a decision. */
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
  test('is itself in name, length, properties and this', () => {
    const { observer } = recorded()
    function answer(this: unknown, _question: string): unknown {
      return this
    }
    const seen = observe(observer, Object.assign(answer, { version: 3 }))
    expect([seen.name, seen.length, seen.version]).toEqual(['answer', 1, 3])
    const self = { seen }
    expect(self.seen('?')).toBe(self)
  })

  test('is logged with its argument, its answer and the time that it took', () => {
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
  ])('with the arguments %j has the input %j', (args, input) => {
    const { observer, decisions } = recorded()
    observe(observer, (..._all: unknown[]) => undefined)(...args)
    expect(decisions).toMatchObject([{ input, output: 'null' }])
  })

  test('throws what it threw', () => {
    const { observer, decisions } = recorded()
    expect(() => observe(observer, refuse)()).toThrow(refusal)
    const error = { name: 'RangeError', message: 'too far' }
    expect(decisions).toMatchObject([{ output: '', metadata: { error } }])
  })

  test('is sent as mapped, and not at all in full where mapping fails', () => {
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

  test('belongs to where it was called, wherever it ends', async () => {
    const { observer, context, decisions } = recorded()
    const { promise, resolve } = Promise.withResolvers<string>()
    const seen = observe(observer, () => promise)
    const answer = context.within({ sessionId: 's1' }, () => seen())
    context.within({ sessionId: 's2', agentId: 'other' }, () => resolve('done'))
    await answer
    expect(decisions).toMatchObject([{ sessionId: 's1', output: 'done' }])
    expect(decisions[0]).not.toHaveProperty('agentId')
  })

  test('is left as it is when it is none', () => {
    expect(observe(recorded().observer, 5 as never)).toBe(5)
  })

  test('works where nothing can be recorded', () => {
    const { observer } = recorded()
    const broken = { ...observer, now: refuse, log: refuse }
    expect(observe(broken, () => 4)()).toBe(4)
  })
})

describe('a promise', () => {
  test('resolves and rejects as it would', async () => {
    const { observer, decisions } = recorded()
    expect(await observe(observer, async () => 'yes')()).toBe('yes')
    await expect(observe(observer, async () => refuse())()).rejects.toBe(refusal)
    expect(decisions).toMatchObject([{ output: 'yes' }, { output: '', metadata: { error: {} } }])
  })

  test('of a library is handed on itself, and asked only when its caller asks', async () => {
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

  test('of text is handed through, and its output is the joined text', async () => {
    const { observer, decisions } = recorded()
    const stream = observe(observer, words)()
    expect(decisions).toEqual([])
    expect(await read(stream)).toEqual(['Good ', 'day'])
    expect(decisions).toMatchObject([{ output: 'Good day' }])
  })

  test('that comes with a promise is one, too', async () => {
    const { observer, decisions } = recorded()
    expect(await read(await observe(observer, async () => words())())).toHaveLength(2)
    expect(decisions).toMatchObject([{ output: 'Good day' }])
  })

  test('that its reader leaves ends there', async () => {
    const { observer, decisions } = recorded()
    for await (const word of observe(observer, words)()) if (word !== '') break
    expect(decisions).toMatchObject([{ output: 'Good ' }])
  })

  test('that fails has what came before', async () => {
    const { observer, decisions } = recorded()
    const broken = observe(observer, async function* () {
      yield 'half'
      refuse()
    })
    await expect(read(broken())).rejects.toBe(refusal)
    const error = { name: 'RangeError', message: 'too far' }
    expect(decisions).toMatchObject([{ output: 'half', metadata: { error } }])
  })

  test('of anything else is an array of it', async () => {
    const { observer, decisions } = recorded()
    const numbers = { [Symbol.asyncIterator]: () => [1, 2][Symbol.iterator]() }
    expect(await read(observe(observer, () => numbers)() as never)).toEqual([1, 2])
    expect(decisions).toMatchObject([{ output: [1, 2] }])
  })

  test('may be a generator that waits for nothing', () => {
    const { observer, decisions } = recorded()
    const seen = observe(observer, function* (): Generator<string> {
      yield 'a'
      yield 'b'
    })
    expect([...seen()]).toEqual(['a', 'b'])
    expect(decisions).toMatchObject([{ output: 'ab' }])
  })

  test('may be one of the web, which still can be an answer', async () => {
    const { observer, decisions } = recorded()
    const bytes = new TextEncoder().encode('día')
    const seen = observe(observer, () => {
      // The second byte of a character comes alone.
      return ReadableStream.from([bytes.slice(0, 2), bytes.slice(2)])
    })
    expect(await new Response(seen() as ReadableStream<Uint8Array>).text()).toBe('día')
    await seen().cancel()
    expect(decisions).toMatchObject([{ output: 'día' }, { output: '' }])
  })

  test('of a frozen object is a value', () => {
    const { observer, decisions } = recorded()
    const frozen = Object.freeze({ [Symbol.asyncIterator]: words })
    expect(observe(observer, () => frozen)()).toBe(frozen)
    expect(decisions).toHaveLength(1)
  })
})

test('a method is decorated', async () => {
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
