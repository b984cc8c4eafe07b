/** Request and response schemas for the onboarding status and the test event. */
import { boolean, closed, exampleOf, integer, listOf, objectOf } from '../../http/schema.ts'
import { oneOf, optional, orNull, schemaFor, text } from '../../http/schema.ts'
import { plainText, time, timeOrNull, uuid } from '../response-schemas.ts'
import { snippetsOf } from './snippets.ts'

export const stepIds = [
  'email_verified',
  'key_created',
  'first_request_seen',
  'first_decision_stored',
  'first_score'
] as const

export const attempt = objectOf({
  at: time,
  key_id: text({ example: '6sWrWHwhtvmL' }),
  status: integer({ example: 422 }),
  code: text({
    description: 'The problem code of the response; see docs/reference/errors.md.',
    example: 'invalid_decision'
  }),
  detail: text({ example: '/output is required.' }),
  pointer: orNull(
    text({
      description: 'A pointer to the first invalid part of the decision.',
      example: '/output'
    })
  ),
  agent_id: orNull(text({ example: 'refund-agent' })),
  sdk_version: orNull(text(), { example: null }),
  request_id: text({ example: 'job-17.attempt-2' })
})

const step = objectOf({
  id: oneOf(stepIds, { example: 'key_created' }),
  done_at: timeOrNull,
  hint: text({
    description: 'What to do, or where to look.',
    example: 'Create an API key with the scope ingest.'
  }),
  detail: orNull(
    text({
      description: 'What is known about the step, for example why a request was rejected.',
      example: 'The key 6sWrWHwhtvmL, "first".'
    })
  )
})

export const onboarding = objectOf({
  steps: listOf(step),
  complete: boolean({ description: 'Whether all steps are done.', example: false }),
  snippets: objectOf(
    { curl: text(), env: text(), typescript: text(), python: text() },
    { example: snippetsOf('https://sluice.example') }
  ),
  recent_attempts: orNull(listOf(attempt))
})

export const newTestEvent = closed({
  api_key: optional(
    orNull(
      text({
        maxLength: 200,
        pattern: plainText,
        description: 'The API key to test. It is neither stored nor logged.'
      })
    )
  )
})

const exampleId = exampleOf(uuid)

export const testEvent = objectOf({
  decision_id: uuid,
  answer: objectOf(
    { status: integer(), body: schemaFor<unknown>({ type: 'object' }) },
    { example: { status: 202, body: { decision_id: exampleId, queued: true } } }
  ),
  look: objectOf(
    { receipt: text(), decision: text(), evaluation: text() },
    { example: placesOf(exampleId) }
  )
})

/** Returns the paths where the results of a test event appear. */
export function placesOf(decisionId: string) {
  return {
    receipt: `/v1/ingest/${decisionId}?wait=10`,
    decision: `/v1/decisions/${decisionId}?wait=10`,
    evaluation: `/v1/evaluation/${decisionId}?wait=10`
  }
}
