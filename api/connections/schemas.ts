/** Request and response schemas for connections to LLM providers, with examples. */
import { prefixedIdPattern } from '../../core/ids/prefixed-id.ts'
import { allOptional, boolean, closed, integer, listOf, number } from '../../http/schema.ts'
import { objectOf, optional, orNull, schemaFor, text, withExample } from '../../http/schema.ts'
import type { Static } from '../../http/schema.ts'
import { nameSchema, plainText, textOrNull, time, timeOrNull } from '../response-schemas.ts'

export const concurrencyDefault = 8
const modelsMax = 50
const modelKeywords = { minLength: 1, maxLength: 200, pattern: plainText }

const price = orNull(
  number({
    minimum: 0,
    maximum: 100_000,
    description:
      'US dollars per million tokens; null if unknown. An unknown price never counts as 0.'
  })
)

const models = listOf(
  closed({
    model: text(modelKeywords),
    usd_per_million_input: optional(price),
    usd_per_million_output: optional(price)
  }),
  {
    maxItems: modelsMax,
    description:
      'The prices of its models. A model that is not listed can be used; its price is then ' +
      'unknown.',
    example: [{ model: 'gpt-5-mini', usd_per_million_input: 0.25, usd_per_million_output: 2 }]
  }
)

const concurrency = integer({
  minimum: 1,
  maximum: 1000,
  description: `The maximum number of concurrent calls. Default: ${concurrencyDefault}.`,
  example: concurrencyDefault
})

const bodyMembers = {
  name: withExample(nameSchema, 'judge'),
  base_url: text({
    minLength: 1,
    maxLength: 2000,
    pattern: plainText,
    description: 'The URL before `/chat/completions`. It must be https and on the public internet.',
    example: 'https://api.openai.com/v1'
  }),
  api_key: optional(
    orNull(
      text({
        minLength: 1,
        maxLength: 1000,
        pattern: '^[\\x21-\\x7e]+$',
        description: 'Stored encrypted and never shown again; null if the provider needs no key.',
        example: 'sk-proj-4fJ2'
      })
    )
  ),
  models: optional(models),
  concurrency_max: optional(concurrency)
}

export const newConnection = closed(bodyMembers)
export const connectionChange = withExample(closed(allOptional(bodyMembers)), {
  api_key: 'sk-proj-9xQ7'
})
export type ConnectionChange = Static<typeof connectionChange>

export const connectionParams = {
  connection_id: text({
    pattern: prefixedIdPattern('con'),
    description: 'The `connection_id` of the response that created the connection.'
  })
}

export const connection = objectOf({
  connection_id: text({ example: 'con_01938c4e5b7a7c3e9f002f6d1c1b8a55' }),
  name: text({ example: 'judge' }),
  kind: schemaFor<string>({ const: 'openai_compatible' }),
  base_url: text({ example: 'https://api.openai.com/v1' }),
  has_api_key: boolean(),
  api_key_hint: orNull(
    text({
      description: 'The last characters of the key; null if the key is short.',
      example: '4fJ2'
    })
  ),
  models,
  concurrency_max: concurrency,
  circuit: objectOf(
    {
      state: text({
        description: 'Calls are made while `closed`; while `open` or `half_open`, runs wait.'
      }),
      reason: textOrNull,
      since: timeOrNull,
      probe_at: timeOrNull,
      paused_until: timeOrNull
    },
    { example: { state: 'closed', reason: null, since: null, probe_at: null, paused_until: null } }
  ),
  created_at: time,
  updated_at: time
})
export type ConnectionView = Static<typeof connection>

export const connectionTest = closed({
  model: optional(
    text({
      ...modelKeywords,
      description: 'Default: the first model of the connection.',
      example: 'gpt-5-mini'
    })
  )
})

const integerOrNull = orNull(integer(), { example: null })

/** Members that do not apply are null. */
export const testResult = objectOf({
  ok: boolean({ example: false }),
  model: text({ example: 'gpt-5-mini' }),
  status_reason: orNull(text({ example: 'provider_auth' })),
  message: orNull(
    text({
      description: 'The error message; null if the call succeeded.',
      example: 'the provider responded with 401'
    })
  ),
  http_status: orNull(integer({ example: 401 })),
  model_reported: orNull(text(), { example: null }),
  latency_ms: integerOrNull,
  input_tokens: integerOrNull,
  output_tokens: integerOrNull
})
