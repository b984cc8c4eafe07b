/** What the steps of the line are given in their tests: a caller, a body, a log. */
import type { KeyPrincipal } from '../../../../gateway/call.ts'
import { parse } from '../../../../gateway/ingest/parse.ts'
import type { Submission } from '../../../../gateway/ingest/parse.ts'
import type { OutgoingRecord, RecordProducer } from '../../../../platform/record-producer.ts'

export const organizationId = '01938c4e-2222-7000-8000-5b7a9f002f6d'

export const principal: KeyPrincipal = {
  kind: 'api_key',
  organization_id: organizationId,
  key_id: 'abcdefghijkl',
  scopes: ['ingest'],
  rate_limit_points: null
}

export function submissionOf(body: string | object): Submission {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return parse('application/json', Buffer.from(text))
}

export function aRecord(valueBytes = 100): OutgoingRecord {
  return { topic: 'decisions', key: null, value: Buffer.alloc(valueBytes), headers: {} }
}

/** A log whose acknowledgements the test gives by hand. */
export class FakeLog implements RecordProducer {
  readonly sends: { records: readonly OutgoingRecord[]; answer: PromiseWithResolvers<void> }[] = []

  connect(): Promise<void> {
    return Promise.resolve()
  }

  send(records: readonly OutgoingRecord[]): Promise<void> {
    const answer = Promise.withResolvers<void>()
    this.sends.push({ records, answer })
    return answer.promise
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  acknowledge(index: number): void {
    this.sends[index]?.answer.resolve()
  }

  fail(index: number, error: Error): void {
    this.sends[index]?.answer.reject(error)
  }
}
