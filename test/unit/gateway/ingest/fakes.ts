/** Provides fakes for the ingest steps: a caller, a body and Kafka. */
import type { KeyPrincipal } from '../../../../core/principal.ts'
import { createUsageCounters } from '../../../../usage/usage-counters.ts'
import { createCountUsage } from '../../../../gateway/ingest/count-usage.ts'
import type { Quota } from '../../../../gateway/ingest/limit-rate.ts'
import { parse } from '../../../../gateway/ingest/parse.ts'
import type { Submission } from '../../../../gateway/ingest/parse.ts'
import type {
  OutgoingRecord,
  RecordRoute,
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

/** A quota that grants everything. */
export const quota: Quota = {
  granted: 1,
  headers: { ratelimit: '"organization";r=9;t=60' },
  problem: null
}

/** Creates usage counters and the step that increments them. */
export function createNotes() {
  const noted = createUsageCounters({ metrics: new RecordingMetrics() })
  return { noted, notes: createCountUsage({ usage: noted, clock: { now: () => noon } }) }
}

export function submissionOf(body: string | object): Submission {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return parse('application/json', Buffer.from(text))
}

export function aRecord(valueBytes = 100, key: string | null = null): OutgoingRecord {
  const bytes = key === null ? null : Buffer.from(key)
  return { topic: 'decisions', key: bytes, value: Buffer.alloc(valueBytes), headers: {} }
}

/**
 * A producer whose writes are acknowledged by the test. The key `broker-2` is routed to a second
 * leader.
 */
export class FakeRoutingProducer implements RoutingProducer {
  readonly sends: { records: readonly RoutedRecord[]; answer: PromiseWithResolvers<void> }[] = []

  route(_topic: string, key: Buffer | null): RecordRoute {
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
