/** Routes for onboarding: its status and a test event. */
import { integer, optional } from '../../http/schema.ts'
import { member, session } from '../../http/typed-route.ts'
import { routesOf } from '../services.ts'
import { waitParameter } from '../poll.ts'
import { readProgress } from './queries.ts'
import * as schemas from './schemas.ts'
import { baseUrlOf, snippetsOf } from './snippets.ts'
import { countDone, stepsOf } from './steps.ts'
import { sendTestEvent, testAgentId, testsPerMinute } from './test-event.ts'

const path = '/v1/auth/onboarding'
const route = routesOf('auth')

export const onboardingRoutes = [
  route({
    method: 'get',
    path,
    who: session,
    id: 'readOnboarding',
    summary: 'Get onboarding status',
    description:
      'Returns the steps to the first score, and which of them are done. The step ' +
      '`email_verified` exists only if the gateway can send emails. `recent_attempts` lists ' +
      'the last 20 rejected requests with keys of the organization, newest first and within ' +
      'seconds. It is null while Redis is unavailable.',
    query: {
      wait: waitParameter(
        'Maximum number of seconds to wait for another step to be done, as an integer.'
      ),
      done: optional(
        integer({
          minimum: 0,
          maximum: schemas.stepIds.length,
          description:
            'The number of steps that you know to be done. Default: the number of steps done ' +
            'when the request arrives.'
        })
      )
    },
    answers: { 200: { description: 'The onboarding status.', schema: schemas.onboarding } },
    problems: ['invalid_query', 'overloaded'],
    handle: async ({ principal, query, headers, signal, reply }, services) => {
      const { organization_id, user_id } = principal
      let known = query.done
      const { attempts, steps } = await services.poll(
        async () => {
          const progress = await readProgress(services, organization_id, user_id)
          const steps = stepsOf(progress)
          known ??= countDone(steps)
          return { attempts: progress.attempts, steps }
        },
        ({ steps }) => countDone(steps) === steps.length || countDone(steps) > (known ?? 0),
        { organizationId: organization_id, waitMs: query.wait * 1000, signal }
      )
      return reply(200, {
        steps,
        complete: countDone(steps) === steps.length,
        snippets: snippetsOf(baseUrlOf(services.config.PUBLIC_URL, headers)),
        recent_attempts: attempts?.map((one) => ({ ...one, at: new Date(one.at) })) ?? null
      })
    }
  }),
  route({
    method: 'post',
    path: `${path}/test-event`,
    who: member,
    id: 'sendTestEvent',
    summary: 'Send a test event',
    description:
      `Sends a decision of the agent \`${testAgentId}\` along the same path as all decisions, ` +
      'with the given API key of the organization. Without a key, it creates a temporary key ' +
      'and revokes it right after. `answer` is the response of `POST /v1/ingest`, which can ' +
      `be an error. An organization can send ${testsPerMinute} test events a minute.`,
    body: schemas.newTestEvent,
    answers: {
      200: {
        description: 'The response of `POST /v1/ingest`, and where to look next.',
        schema: schemas.testEvent
      }
    },
    problems: ['ingest_elsewhere', 'rate_limited'],
    handle: async (call, services) => {
      const { decision_id, status, body } = await sendTestEvent(call, services)
      return call.reply(200, {
        decision_id,
        answer: { status, body: JSON.parse(body) as unknown },
        look: schemas.placesOf(decision_id)
      })
    }
  })
]
