/** Tests that the AsyncAPI document is valid, committed as generated, and consistent with the code.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from '@jest/globals'
import { Ajv } from 'ajv'
import { asyncapiDocumentOf } from '../../../../cli/schemas/asyncapi-document.ts'
import { createEncode } from '../../../../platform/avro/avro-codec.ts'
import { deadLetterRecord } from '../../../../consumers/dead-letter.ts'
import { runSluice } from '../../../../stack/sluice-command.ts'
import { decisionContract, topicDefinitions } from '../../../../schemas/index.ts'
import { aDecision } from '../../../support/builders.ts'

interface Message {
  readonly headers: {
    readonly properties: Readonly<Record<string, unknown>>
    readonly required: readonly string[]
  }
  readonly payload?: { readonly schema: unknown }
  readonly examples?: readonly { readonly headers: object; readonly payload: object }[]
}

interface Document {
  readonly channels: Readonly<
    Record<
      string,
      {
        readonly address: string
        readonly bindings: {
          readonly kafka: {
            readonly partitions: number
            readonly topicConfiguration: Readonly<Record<string, unknown>>
          }
        }
      }
    >
  >
  readonly components: { readonly messages: Readonly<Record<string, Message>> }
}

const file = 'schemas/asyncapi.json'
const names = {
  decisions: 'agent-decisions',
  evaluations: 'decision-evaluations',
  decisions_dead_letter: 'agent-decisions.dead-letter',
  evaluations_dead_letter: 'decision-evaluations.dead-letter'
}
const made = asyncapiDocumentOf(names) as Document
const { messages } = made.components

function messageOf(name: string): Message {
  const message = messages[name]
  if (message === undefined) throw new Error(`there is no message ${name}`)
  return message
}

/** Compiles the schema that the AsyncAPI project publishes. */
function createValidate() {
  const load = createRequire(import.meta.url)
  const official = load('@asyncapi/specs/schemas/3.0.0.json') as object
  const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, validateFormats: false })
  return { ajv, validate: ajv.compile(official) }
}

test('is valid by the schema of AsyncAPI 3, which rejects invalid documents', () => {
  const { ajv, validate } = createValidate()
  const isValid = validate(made)
  expect(ajv.errorsText(validate.errors)).toBe('No errors')
  expect(isValid).toBe(true)
  expect(validate({ ...made, channels: { decisions: { adress: 'misspelt' } } })).toBe(false)
  const broken = structuredClone(made) as unknown as {
    components: { messages: Record<string, { payload: { schema: { fields: unknown } } }> }
  }
  const decision = broken.components.messages['decision']
  if (decision !== undefined) decision.payload.schema.fields = 'none'
  expect(validate(broken)).toBe(false)
})

test(`${file} is the output of sluice schemas asyncapi`, async () => {
  const environment = { PATH: process.env['PATH'] }
  const printed = await runSluice({ args: ['schemas', 'asyncapi'], environment })
  expect(readFileSync(file, 'utf8')).toBe(printed)
  expect(JSON.parse(printed)).toEqual(made)
})

test('uses the topic names of the installation', async () => {
  const environment = { PATH: process.env['PATH'], DECISIONS_TOPIC: 'choices' }
  const printed = await runSluice({ args: ['schemas', 'asyncapi'], environment })
  const { channels } = JSON.parse(printed) as Document
  expect(Object.values(channels).map(({ address }) => address)).toEqual([
    ...['choices', 'decision-evaluations'],
    ...['choices.dead-letter', 'decision-evaluations.dead-letter']
  ])
})

describe('consistency with the code', () => {
  test.each(topicDefinitions)('describes $name as defined', ({ name, role, ...definition }) => {
    const { address, bindings } = made.channels[role] ?? {}
    expect(address).toBe(name)
    const { partitions, topicConfiguration } = bindings?.kafka ?? {}
    const settings = Object.entries(topicConfiguration ?? {})
    const config = Object.fromEntries(settings.map(([key, value]) => [key, String(value)] as const))
    expect({ partitions, config }).toEqual(definition)
  })

  test('resolves every reference', () => {
    const references = [...JSON.stringify(made).matchAll(/"\$ref":"#\/([^"]+)"/g)]
    expect(references.length).toBeGreaterThan(10)
    for (const [, path = ''] of references) {
      const found = path.split('/').reduce<unknown>((at, name) => {
        return (at as Record<string, unknown> | undefined)?.[name]
      }, made)
      expect({ path, found }).toEqual({ path, found: expect.any(Object) })
    }
  })

  test('has examples that can be encoded and that have the documented headers', () => {
    const { examples = [], headers } = messageOf('decision')
    expect(examples).toHaveLength(1)
    for (const example of examples) {
      expect(() => createEncode<object>(decisionContract.schema)(example.payload, 1)).not.toThrow()
      expect(Object.keys(headers.properties)).toEqual(
        expect.arrayContaining(Object.keys(example.headers))
      )
    }
  })

  test('documents the headers of dead-letter records', () => {
    const { decision_id, organization_id } = aDecision()
    const message = {
      topic: 'agent-decisions',
      partition: 3,
      offset: 17n,
      timestamp: 0,
      key: null,
      value: null,
      headers: { decision_id, organization_id }
    }
    const deadLetter = {
      kind: 'dead_letter',
      step: 'decode',
      reason: 'empty_value',
      error: 'it has no value'
    } as const
    const { headers } = deadLetterRecord(message, deadLetter, 'storage')
    const documented = messageOf('decision_dead_letter').headers
    const own = Object.keys(headers).filter((name) => name.startsWith('dead_letter_'))
    expect(documented.required).toEqual(own)
    expect(Object.keys(documented.properties)).toEqual(
      expect.arrayContaining(['decision_id', 'organization_id', 'traceparent'])
    )
  })
})
