/** The button that sends a test event along the path of all decisions, and its result. */
import { Link } from 'wouter'
import type { testEvent } from '../../../../api/onboarding/schemas.ts'
import { apiErrorOf } from '../../api/api-error.ts'
import { useChange } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'

const request = { path: '/v1/auth/onboarding/test-event', body: {} }

export function TestEvent() {
  const { mutate, data, error } = useChange<WireOf<typeof testEvent>>()
  return (
    <>
      <ActionButton needs="member" onClick={() => mutate(request)} children="Send a test event" />
      {data !== undefined && <Answer {...data} />}
      {error !== null && <ProblemBox error={error} />}
    </>
  )
}

function Answer({ decision_id, answer: { status, body } }: WireOf<typeof testEvent>) {
  if (status === 202) return <Link href={`/decisions/${decision_id}`}>Open the test event</Link>
  return <ProblemBox error={apiErrorOf(status, JSON.stringify(body), null)} />
}
