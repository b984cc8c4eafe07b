/** What the steps of the line are given in their tests: a caller, a body, a log. */
import type { KeyPrincipal } from '../../../../core/principal.ts'
import { createNotedFacts } from '../../../../usage/noted-facts.ts'
import { createNoteFacts } from '../../../../gateway/ingest/note-facts.ts'
import type { Quota } from '../../../../gateway/ingest/limit-rate.ts'
import { parse } from '../../../../gateway/ingest/parse.ts'
import type { Submission } from '../../../../gateway/ingest/parse.ts'
import type {
  OutgoingRecord,
  Route,
  RoutedRecord,
  RoutingProducer
} from '../../../../platform/kafka/record-producer.ts'
import { noon } from '../../../support/builders.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'

export const organizationId = '01938c4e-2222-7000-8000-5b7a9f002f6d'

export const principal: KeyPrincipal = {
  kind: 'api_key',
  organization_id: organizationId,
  key_id: 'abcdefghijkl',
  scopes: ['ingest'],
  rate_limit_points: null,
  key_rate_limit_points: null
}

/** All that was asked for is granted. */
export const quota: Quota = {
  granted: 1,
  headers: { ratelimit: '"organization";r=9;t=60' },
  refusal: null
}

/** What the line notes, and how it does. */
export function createNotes() {
  const noted = createNotedFacts({ metrics: new RecordingMetrics() })
  return { noted, notes: createNoteFacts({ facts: noted, clock: { now: () => noon } }) }
}

export function submissionOf(body: string | object): Submission {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return parse('application/json', Buffer.from(text))
}

export function aRecord(valueBytes = 100, key: string | null = null): OutgoingRecord {
  const bytes = key === null ? null : Buffer.from(key)
  return { topic: 'decisions', key: bytes, value: Buffer.alloc(valueBytes), headers: {} }
}

/** A log whose acknowledgements the test gives by hand; the key `broker-2` leads elsewhere. */
export class FakeLog implements RoutingProducer {
  readonly sends: { records: readonly RoutedRecord[]; answer: PromiseWithResolvers<void> }[] = []

  route(_topic: string, key: Buffer | null): Route {
    return key?.toString() === 'broker-2'
      ? { partition: 1, leader: 2 }
      : { partition: 0, leader: 1 }
  }

  connect(): Promise<void> {
    return Promise.resolve()
  }

  send(records: readonly OutgoingRecord[]): Promise<void> {
    return this.sendRouted(records.map((record) => ({ ...record, partition: 0 })))
  }

  sendRouted(records: readonly RoutedRecord[]): Promise<void> {
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
