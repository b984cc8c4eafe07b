/** The way to the first score: what is done, and what to do next. It follows the server. */
import { Link } from 'wouter'
import { RefusedRequests } from '../../onboarding/refused-requests.tsx'
import { Snippets } from '../../onboarding/snippets.tsx'
import { countDone, useOnboarding } from '../../onboarding/use-onboarding.ts'
import type { Onboarding } from '../../onboarding/use-onboarding.ts'
import { visible } from '../../text/visible.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { useNewest } from '../decisions/use-decisions.ts'
import { CreateKey } from '../settings/keys/create-key.tsx'
import { TestEvent } from './test-event.tsx'

type Step = Onboarding['steps'][number]

const titles: Readonly<Record<Step['id'], string>> = {
  email_verified: 'Email address verified',
  key_created: 'API key created',
  first_request_seen: 'First request seen',
  first_decision_stored: 'First decision stored',
  first_score: 'First score'
}

export function WelcomePage() {
  return (
    <Page title="Welcome to Sluice">
      <Loaded query={useOnboarding(true)} what="the steps">
        {(onboarding) => <Steps {...onboarding} />}
      </Loaded>
    </Page>
  )
}

function Steps({ complete, steps, recent_attempts }: Onboarding) {
  const done = countDone(steps)
  return (
    <>
      <p role="status">
        {complete ? 'All steps are done.' : `${done} of ${steps.length} steps are done.`}
      </p>
      <ol className="steps">
        {steps.map((step) => (
          <StepItem key={step.id} {...step} />
        ))}
      </ol>
      <h2>Send a decision</h2>
      <p className="actions">
        <TestEvent />
        <CreateKey />
      </p>
      <Snippets />
      <RefusedRequests attempts={recent_attempts} />
    </>
  )
}

function StepItem({ id, done_at, hint, detail }: Step) {
  const isDone = done_at !== null
  return (
    <li className={isDone ? 'done' : undefined}>
      <strong>{`${isDone ? '✓' : '○'} ${titles[id]}`}</strong>{' '}
      {isDone ? <Time iso={done_at} /> : `not yet. ${hint}`}
      {detail !== null && <p className="quiet">{visible(detail)}</p>}
      {id === 'first_decision_stored' && isDone && <NewestDecision />}
    </li>
  )
}

function NewestDecision() {
  const { data: newest } = useNewest(true)
  return newest && <Link href={`/decisions/${newest.decision_id}`}>Open the newest decision</Link>
}
