/** Tests that an audit stays within its limits, and says which part of the window it covers. */
import { describe, expect, test } from '@jest/globals'
import type { Decision } from '../../../../core/decision/decision.ts'
import type { Message } from '../../../../platform/kafka/message-consumer.ts'
import type { TopicReader } from '../../../../platform/kafka/topic-reader.ts'
import type { Decode } from '../../../../platform/registry/decode.ts'
import { totalOf } from '../../../../store/audit/audit-tally.ts'
import { runAudit } from '../../../../store/audit/run-audit.ts'
import type { AuditDependencies } from '../../../../store/audit/run-audit.ts'
import { aDecision, noon } from '../../../support/builders.ts'
import { aMessage } from '../../consumers/fakes.ts'

const minuteMs = 60_000
const bytes = 1000
const topic = 'agent-decisions'

/** A partition with one message of 1,000 bytes a minute; the last one was written just now. */
function createTopic(messages: number): { reader: TopicReader; messages: Message[] } {
  const held = Array.from({ length: messages }, (_, index) =>
    aMessage({
      ...{ partition: 0, offset: BigInt(index), key: null, value: Buffer.alloc(bytes) },
      timestamp: noon - (messages - 1 - index) * minuteMs
    })
  )
  const isTopic = (name: string): boolean => name === topic
  const reader: TopicReader = {
    ranges: async () => [{ partition: 0, from: 0n, to: BigInt(messages) }],
    offsetsAt: async (_topic, time) => {
      const index = held.findIndex(({ timestamp }) => timestamp >= time)
      return [BigInt(index < 0 ? messages : index)]
    },
    async *read(name, ranges) {
      for (const range of isTopic(name) ? ranges : []) {
        const found = held.filter(({ offset }) => offset >= range.from && offset < range.to)
        for (const message of found) {
          yield { ...range, from: message.offset, messages: [message], gaps: [] }
        }
      }
    },
    follow: () => {
      throw new Error('not used')
    },
    close: async () => {}
  }
  return { reader, messages: held }
}

/** Each message is of another organization. */
const decode: Decode<Decision> = async ({ offset }) => {
  const organization_id = `organization ${offset}`
  return { kind: 'decoded', value: aDecision({ organization_id }) }
}

/** Nothing is committed, so that every message is in flight. */
function dependenciesOf(reader: TopicReader): AuditDependencies {
  return {
    ...{ reader, decode, signal: new AbortController().signal },
    postgres: { query: async () => [] },
    readCommitted: async () => [0n]
  }
}

const request = { topic, group: 'storage', from: noon - 60 * minuteMs, to: noon, isToEnd: true }

function auditWith(messagesMax: number, organizationsMax = 100) {
  const { reader } = createTopic(50)
  const limits = { bytesMax: messagesMax * bytes, identitiesMax: 100, organizationsMax }
  return runAudit(dependenciesOf(reader), { ...request, limits })
}

describe('the byte limit', () => {
  test.each([
    [50, 60, 50],
    // The last 31 minutes hold 32 messages, the slice before them more than the limit.
    [49, 31, 32],
    [32, 31, 32],
    [31, 15, 16],
    [2, 1, 2]
  ])('of %i messages covers the last %i minutes: %i messages', async (max, minutes, count) => {
    const { from, ranges, tally } = await auditWith(max)
    expect(noon - from).toBe(minutes * minuteMs)
    expect(totalOf(tally.all).in_flight).toBe(count)
    expect(ranges).toEqual([{ partition: 0, from: BigInt(50 - count), to: 50n }])
  })

  test('that the last minute exceeds fails the audit', async () => {
    await expect(auditWith(1)).rejects.toThrow('the last minute exceeds the byte limit')
  })

  test('does not exist for a command', async () => {
    const { from, tally } = await runAudit(dependenciesOf(createTopic(50).reader), request)
    expect([from, totalOf(tally.all).in_flight]).toEqual([request.from, 50])
    expect(tally.organizations.size).toBe(0)
  })
})

describe('organizations', () => {
  test('are counted each for itself', async () => {
    const { tally } = await auditWith(50)
    const counts = [...tally.organizations.values()].map((figures) => totalOf(figures).in_flight)
    expect(counts).toEqual(Array.from({ length: 50 }, () => 1))
  })

  test('are limited in number, but all messages count for the installation', async () => {
    const { tally } = await auditWith(50, 10)
    expect([tally.organizations.size, totalOf(tally.all).in_flight]).toEqual([10, 50])
  })
})

test('an interrupted audit has no result', async () => {
  const { reader } = createTopic(50)
  const interrupted = { ...dependenciesOf(reader), signal: AbortSignal.abort() }
  await expect(runAudit(interrupted, request)).rejects.toThrow('aborted')
})
