/** The way to the first score: what is done, and what to do next. It follows the server. */
import { Link } from 'wouter'
import type { testEvent } from '../../../../api/onboarding/schemas.ts'
import { apiErrorOf } from '../../api/api-error.ts'
import { useChange } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { Snippets } from '../../onboarding/snippets.tsx'
import { countDone, useOnboarding } from '../../onboarding/use-onboarding.ts'
import type { Onboarding } from '../../onboarding/use-onboarding.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Time, TimedText } from '../../ui/time.tsx'
import { useNewest } from '../decisions/use-decisions.ts'
import { RejectedTable } from '../health/rejected-table.tsx'
import { CreateKey } from '../settings/keys/create-key.tsx'

type Step = Onboarding['steps'][number]

/** The title of each step, and what to do until it is done. */
const texts: Readonly<Record<Step['id'], readonly [title: string, hint: string]>> = {
  email_verified: [
    'Email address verified',
    'Follow the email that Sluice sent when you registered. No other step depends on it.'
  ],
  key_created: ['API key created', 'Create one below. It requires the role admin or higher.'],
  first_request_seen: [
    'First request seen',
    'Run the code below with your API key. A request with an unknown key is not shown here.'
  ],
  first_decision_stored: [
    'First decision stored',
    'A decision is stored within seconds of its 202. Rejected requests are listed below.'
  ],
  first_score: [
    'First score',
    'A decision is evaluated within seconds. Its page says why a rule gave no score.'
  ]
}

const newestMs = 2000

export function WelcomePage() {
  return (
    <Page title="Welcome to Sluice">
      <Loaded query={useOnboarding(true)} what="the steps">
        {({ steps, complete }) => (
          <>
            <p role="status">
              {complete ? 'All steps are' : `${countDone(steps)} of ${steps.length} steps are`}{' '}
              done.
            </p>
            <ol className="steps">
              {steps.map((step) => (
                <StepItem key={step.id} {...step} />
              ))}
            </ol>
            <p className="actions">
              <TestEvent />
              <CreateKey />
            </p>
            <p>Create an API key to get this code with the key in it.</p>
            <Snippets />
            <RejectedTable />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function StepItem({ id, done_at, detail }: Step) {
  const isDone = done_at !== null
  const [title, hint] = texts[id]
  return (
    <li className={isDone ? 'done' : undefined}>
      <strong>{`${isDone ? '✓' : '○'} ${title}:`}</strong>{' '}
      {isDone ? <Time iso={done_at} /> : `not yet. ${hint}`}
      {detail !== null && (
        <p className="quiet">
          <TimedText text={detail} />
        </p>
      )}
      {id === 'first_decision_stored' && isDone && <NewestDecision />}
    </li>
  )
}

function NewestDecision() {
  const { data: newest } = useNewest(newestMs)
  return newest && <Link href={`/decisions/${newest.decision_id}`}>Open the newest decision</Link>
}

/** Sends a test event along the path of all decisions. */
function TestEvent() {
  const { mutate, data, error } = useChange<WireOf<typeof testEvent>>()
  const send = (): void => mutate({ path: '/v1/auth/onboarding/test-event', body: {} })
  return (
    <>
      <ActionButton needs="member" onClick={send} children="Send a test event" />
      {data !== undefined && <Answer {...data} />}
      {error !== null && <ProblemBox error={error} />}
    </>
  )
}

function Answer({ decision_id, answer: { status, body } }: WireOf<typeof testEvent>) {
  if (status === 202) return <Link href={`/decisions/${decision_id}`}>Open the test event</Link>
  return <ProblemBox error={apiErrorOf(status, JSON.stringify(body), null)} />
}
