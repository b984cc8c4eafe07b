/** One probe beside the load: a valid decision that this gateway has to refuse just now. */
import { aDecisionBody } from '../support/builders.ts'
import type { Application } from '../support/application.ts'

export interface Refusal {
  readonly gateway: Application
  readonly apiKey: string
  readonly status: number
  readonly code: string
}

/** @throws when it is answered otherwise. */
export async function expectRefusal({ gateway, apiKey, status, code }: Refusal): Promise<true> {
  const answer = await fetch(`${gateway.url}/v1/ingest`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(aDecisionBody())
  })
  const text = await answer.text()
  const isExpected = answer.status === status && text.includes(`"code":"${code}"`)
  if (!isExpected) throw new Error(`answered ${answer.status} ${text}, not ${status} ${code}`)
  return true
}
