/** Sends a valid decision that the gateway must reject. */
import { aDecisionBody } from '../support/builders.ts'
import type { Application } from '../support/application.ts'

interface ExpectedRejection {
  readonly gateway: Application
  readonly apiKey: string
  readonly status: number
  readonly code: string
}

/**
 * Sends a decision and checks the rejection.
 * @throws if the status or the problem code differs
 */
export async function expectRejection({
  gateway,
  apiKey,
  status,
  code
}: ExpectedRejection): Promise<true> {
  const answer = await fetch(`${gateway.url}/v1/ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(aDecisionBody())
  })
  const text = await answer.text()
  const isExpected = answer.status === status && text.includes(`"code":"${code}"`)
  if (!isExpected) throw new Error(`got ${answer.status} ${text}, expected ${status} ${code}`)
  return true
}
