/** Tests validation: valid bodies and their decisions, and the errors for invalid bodies. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { isUuid } from '../../../../core/ids/ids.ts'
import { membersMax } from '../../../../core/json/json-members.ts'
import { createValidate, idOf } from '../../../../gateway/ingest/validate.ts'
import { aDecisionBody, noon } from '../../../support/builders.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { problemOf } from '../../api/fakes.ts'
import { organizationId, principal, submissionOf } from './fakes.ts'

const metrics = new RecordingMetrics()
const validate = createValidate({ clock: { now: () => noon }, metrics })

function decisionOf(body: string | object) {
  const submission = submissionOf(body)
  return validate(submission, principal, idOf(submission))
}

async function errorsOf(body: string | object) {
  const problem = await problemOf(() => decisionOf(body))
  expect(problem.code).toBe('invalid_decision')
  return problem.options.errors
}

/** Builds a body with this exact text as `input`. */
function withInput(input: string): string {
  return `{"input":${input},"output":"yes"}`
}

describe('a valid body', () => {
  test("becomes a decision of the key's organization", () => {
    const body = aDecisionBody()
    expect(decisionOf(body)).toEqual({
      ...body,
      organization_id: organizationId,
      received_at: noon,
      input: JSON.stringify(body['input']),
      metadata: JSON.stringify(body['metadata']),
      sdk_version: null
    })
  })

  test('needs only input and output', () => {
    const { decision_id, ...rest } = decisionOf({ input: null, output: '' })
    expect(isUuid(decision_id)).toBe(true)
    expect(decision_id.charAt(14)).toBe('7')
    expect(rest).toEqual({
      organization_id: organizationId,
      received_at: noon,
      input: 'null',
      output: '',
      agent_id: null,
      session_id: null,
      domain: null,
      metadata: null,
      input_tokens: null,
      output_tokens: null,
      sdk_version: null
    })
  })

  test('gets a new id each time without one', () => {
    const body = { input: 1, output: 'x' }
    expect(decisionOf(body).decision_id).not.toBe(decisionOf(body).decision_id)
  })

  test("keeps the caller's id, in lower case", () => {
    const decision_id = '01938C4E-5B7A-7C3E-9F00-2F6D1C1B8A55'
    expect(decisionOf(aDecisionBody({ decision_id })).decision_id).toBe(decision_id.toLowerCase())
  })

  test.each(['decision_id', 'agent_id', 'session_id', 'domain', 'metadata', 'sdk_version'])(
    'null in %s means absent',
    (name) => {
      const decision = decisionOf(aDecisionBody({ [name]: null }))
      if (name === 'decision_id') expect(isUuid(decision.decision_id)).toBe(true)
      else expect(decision).toHaveProperty(name, null)
    }
  )

  test('an empty agent_id means absent; an empty session_id and domain are kept', () => {
    const body = aDecisionBody({ agent_id: '', session_id: '', domain: '' })
    expect(decisionOf(body)).toMatchObject({ agent_id: null, session_id: '', domain: '' })
  })

  test.each([
    ['agent_id', '𝔸'.repeat(255)],
    ['session_id', '👍'.repeat(1000)],
    ['domain', 'é'.repeat(100)],
    ['sdk_version', 'x'.repeat(100)],
    ['output', '\u0000👩‍👩‍👧\u2028'],
    ['input_tokens', 0],
    ['output_tokens', Number.MAX_SAFE_INTEGER]
  ])('the limit of %s counts characters, not code units', (name, value) => {
    expect(decisionOf(aDecisionBody({ [name]: value }))).toHaveProperty(name, value)
  })

  test.each([
    '12345678901234567890',
    '1e400',
    '-0',
    '1.00',
    '"\\u0000"',
    '"\\ud83d\\ude00"',
    '{"z":1,"a":{"__proto__":{"a":1}},"constructor":2}',
    '{"a":1,"a":2}',
    '[ 1 , 2 ]',
    '{\n\t"k" : null\r\n}'
  ])('keeps the text of input %j', (input) => {
    expect(decisionOf(withInput(input)).input).toBe(input)
    const metadata = `{"m":${input}}`
    expect(decisionOf(`{"metadata": ${metadata} ,"input":1,"output":""}`).metadata).toBe(metadata)
  })

  test('keeps the text of any JSON input', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 1, '\t'), (value, indent) => {
        const input = JSON.stringify(value, null, indent)
        expect(decisionOf(withInput(input)).input).toBe(input)
      })
    )
  })

  test('ignores and counts unknown members', () => {
    metrics.counts.length = 0
    decisionOf('{"input":1,"output":"","x":1,"X":2,"__proto__":{"agent_id":"no"}}')
    expect(metrics.counts).toEqual([
      { name: 'sluice_ingest_unknown_members_total', labels: {}, value: 3 }
    ])
    decisionOf(aDecisionBody())
    expect(metrics.counts).toHaveLength(1)
  })
})

describe('rejects an invalid body with the pointer of the error', () => {
  test.each([
    ['/input', 'is required', '{"output":""}'],
    ['/output', 'is required', '{"input":1}'],
    ['/output', 'must be a string', { input: 1, output: 1 }],
    ['/output', 'must be a string', { input: 1, output: null }],
    ['/agent_id', 'must be a string or null', aDecisionBody({ agent_id: 7 })],
    ['/metadata', 'must be an object or null', aDecisionBody({ metadata: [] })],
    ['/metadata', 'must be an object or null', aDecisionBody({ metadata: 'x' })],
    ['/input_tokens', 'must be at least 0', aDecisionBody({ input_tokens: -1 })],
    ['/input_tokens', 'must be a whole number or null', aDecisionBody({ input_tokens: 1.5 })],
    ['/input_tokens', 'must be a whole number or null', aDecisionBody({ input_tokens: '1' })],
    [
      '/output_tokens',
      'must be at most 9007199254740991',
      aDecisionBody({ output_tokens: 2 ** 53 })
    ],
    ['', 'must be an object', '[]'],
    ['', 'must be an object', 'null'],
    ['', 'must be an object', '"{}"']
  ])('%j %s', async (pointer, detail, body) => {
    expect(await errorsOf(body)).toEqual([{ pointer, detail }])
  })

  test.each([
    ['agent_id', 256],
    ['session_id', 1001],
    ['domain', 101],
    ['sdk_version', 101]
  ])('rejects %s of %i characters', async (name, length) => {
    const errors = await errorsOf(aDecisionBody({ [name]: 'é'.repeat(length) }))
    const detail = `must have at most ${length - 1} characters`
    expect(errors).toEqual([{ pointer: `/${name}`, detail }])
  })

  test.each(['9007199254740991.4', '1e-400', '1.0000000000000000001'])(
    'rejects %s tokens, which would be rounded',
    async (literal) => {
      const errors = await errorsOf(`{"input":1,"output":"","output_tokens":${literal}}`)
      const detail = 'must be a whole number or null'
      expect(errors).toEqual([{ pointer: '/output_tokens', detail }])
    }
  )

  test('accepts a whole number of tokens in any notation', () => {
    const body = '{"input":1,"output":"","input_tokens":12.0,"output_tokens":1e3}'
    expect(decisionOf(body)).toMatchObject({ input_tokens: 12, output_tokens: 1000 })
  })

  test.each(['agent_id', 'session_id', 'domain', 'sdk_version'])(
    'rejects NUL in %s',
    async (name) => {
      const errors = await errorsOf(aDecisionBody({ [name]: 'a\u0000b' }))
      expect(errors).toMatchObject([{ pointer: `/${name}` }])
    }
  )

  test.each([
    '',
    'no-uuid',
    '{01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55}',
    'urn:uuid:01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
    '01938c4e5b7a7c3e9f002f6d1c1b8a55',
    '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55\n',
    '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a5g'
  ])('rejects the decision_id %j', async (decision_id) => {
    const errors = await errorsOf(aDecisionBody({ decision_id }))
    expect(errors).toMatchObject([{ pointer: '/decision_id' }])
  })

  test('names every error, and the first one in the detail', async () => {
    const problem = await problemOf(() => decisionOf({ output: 1, domain: 2, input_tokens: -1 }))
    expect(problem.options.errors?.map(({ pointer }) => pointer)).toEqual([
      '/input',
      '/output',
      '/domain',
      '/input_tokens'
    ])
    expect(problem.options.detail).toBe('/input is required, and 3 more.')
  })

  test('ignores inherited members', async () => {
    const errors = await errorsOf('{"__proto__":{"input":1,"output":"x"}}')
    expect(errors?.map(({ pointer }) => pointer)).toEqual(['/input', '/output'])
  })

  test.each([
    ['/input', '{"input":1,"output":"","input":1}'],
    ['/output', '{"input":1,"output":"","\\u006futput":""}'],
    ['/agent_id', '{"agent_id":null,"input":1,"output":"","agent_id":"a"}'],
    ['/a', '{"a":1,"input":1,"output":"","\\u0061":1}'],
    ['/__proto__', '{"__proto__":1,"input":1,"output":"","__proto__":1}'],
    ['/', '{"":1,"input":1,"output":"","":1}']
  ])('rejects a duplicate %s, because either value could be meant', async (pointer, body) => {
    expect(await errorsOf(body)).toEqual([{ pointer, detail: 'appears more than once' }])
  })

  test.each([
    ['/input', '{"input":{"a":["\\ud800"]},"output":""}'],
    ['/input', '{"input":{"\\uDC00":1},"output":""}'],
    ['/output', '{"input":1,"output":"\\ude00\\ud83d"}'],
    ['/metadata', '{"input":1,"output":"","metadata":{"a":"\\ud83dx"}}'],
    ['/session_id', '{"input":1,"output":"","session_id":"\\udfff"}']
  ])('rejects an unpaired surrogate in %s', async (pointer, body) => {
    const errors = await errorsOf(body)
    expect(errors).toEqual([{ pointer, detail: expect.stringContaining('unpaired surrogate') }])
  })

  test.each(['\\\\ud800', '\\ud83d\\ude00', '\\\\\\\\ud800'])(
    'accepts an escape that only looks like a surrogate: %s',
    (escape) => {
      expect(decisionOf(withInput(`"${escape}"`)).input).toBe(`"${escape}"`)
    }
  )

  test('accepts an unpaired surrogate in an unknown member', () => {
    expect(decisionOf('{"input":1,"output":"","x":"\\ud800"}').input).toBe('1')
  })

  test('names only the member that is nested too deeply', async () => {
    const errors = await errorsOf(withInput('['.repeat(64) + ']'.repeat(64)))
    expect(errors).toEqual([{ pointer: '/input', detail: 'nests deeper than 64 levels' }])
  })

  test('reports too many members as one error', async () => {
    const body = (count: number): string => {
      const others = Array.from({ length: count - 2 }, (_, index) => `"m${index}":0`)
      return `{"input":1,"output":"",${others.join(',')}}`
    }
    expect(decisionOf(body(membersMax)).input).toBe('1')
    expect(await errorsOf(body(membersMax + 1))).toEqual([
      { pointer: '', detail: 'has more than 1000 members' }
    ])
  })

  test('does not repeat a name as long as a body', async () => {
    const name = 'n'.repeat(257)
    expect(await errorsOf(`{"input":1,"output":"","${name}":1,"${name}":1}`)).toEqual([
      { pointer: '', detail: 'has a member with a very long name more than once' }
    ])
    expect(await errorsOf(`{"${name}":${'['.repeat(64)}`)).toEqual([
      { pointer: '', detail: 'nests deeper than 64 levels' }
    ])
  })

  test('escapes slash and tilde in a pointer', async () => {
    const errors = await errorsOf(`{"a/b~c":${'['.repeat(64)}`)
    expect(errors).toMatchObject([{ pointer: '/a~1b~0c' }])
  })

  test('names at most a hundred errors', async () => {
    const problem = await problemOf(() => decisionOf(`{${'"input":1,'.repeat(300)}"output":""}`))
    expect(problem.options.errors).toHaveLength(100)
    expect(problem.options.detail).toContain('and 298 more')
  })

  test('never repeats the body in an error', async () => {
    const errors = await errorsOf(aDecisionBody({ agent_id: { secret: 'hunter2' } }))
    expect(JSON.stringify(errors)).not.toContain('hunter2')
  })
})
