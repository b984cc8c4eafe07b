/** Tests that an audit stays within its limits, and reports which part of the window it covers. */
import { describe, expect, test } from '@jest/globals'
import type { Decision } from '../../../../core/decision/decision.ts'
import { deadLetter } from '../../../../core/message-outcome.ts'
import type { Message } from '../../../../platform/kafka/message-consumer.ts'
import type { TopicReader } from '../../../../platform/kafka/topic-reader.ts'
import type { Decode } from '../../../../platform/registry/decode.ts'
import { totalOf } from '../../../../store/audit/audit-tally.ts'
import { runAudit } from '../../../../store/audit/run-audit.ts'
import type { AuditDependencies, AuditRequest } from '../../../../store/audit/run-audit.ts'
import { aDecision, noon } from '../../../support/builders.ts'
import { aMessage } from '../../consumers/fakes.ts'

type AuditLimits = NonNullable<AuditRequest['limits']>

const minuteMs = 60_000
const bytes = 1000
const topic = 'agent-decisions'

/** One message of 1,000 bytes a minute; the last one was written just now. */
function createMessages(count: number, value = Buffer.alloc(bytes)): Message[] {
  return Array.from({ length: count }, (_, index) =>
    aMessage({
      ...{ partition: 0, offset: BigInt(index), key: null, value },
      timestamp: noon - (count - 1 - index) * minuteMs
    })
  )
}

/** Each topic has one partition. */
function createReader(held: readonly Message[], deadLetters: readonly Message[] = []): TopicReader {
  const messagesOf = (name: string) => (name === topic ? held : deadLetters)
  return {
    ranges: async (name) => [{ partition: 0, from: 0n, to: BigInt(messagesOf(name).length) }],
    offsetsAt: async (name, time) => {
      const messages = messagesOf(name)
      const index = messages.findIndex(({ timestamp }) => timestamp >= time)
      return [BigInt(index < 0 ? messages.length : index)]
    },
    async *read(name, ranges) {
      for (const range of ranges) {
        const found = messagesOf(name).filter(({ offset }) => {
          return offset >= range.from && offset < range.to
        })
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
}

/** Each message belongs to a different organization. */
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

const limits: AuditLimits = {
  ...{ bytesMax: 50 * bytes, identitiesMax: 100, organizationsMax: 100 },
  ...{ deadLettersMax: 100, clockSkewMs: 5 * minuteMs }
}

function auditWith(changes: Partial<AuditLimits>, held = createMessages(50)) {
  const dependencies = dependenciesOf(createReader(held))
  return runAudit(dependencies, { ...request, limits: { ...limits, ...changes } })
}

describe('the byte limit', () => {
  test.each([
    [49, 3600, 50],
    // The last 2047 seconds contain 35 messages. With the slice before them, the limit would be
    // exceeded.
    [48, 2047, 35],
    [34, 2047, 35],
    [33, 1023, 18],
    [1, 63, 2],
    // The last second is always audited.
    [0, 31, 1]
  ])('of %i messages covers the last %i seconds: %i messages', async (max, seconds, count) => {
    const { from, ranges, tally } = await auditWith({ bytesMax: max * bytes })
    expect(noon - from).toBe(seconds * 1000)
    expect(totalOf(tally.all).in_flight).toBe(count)
    expect(ranges).toEqual([{ partition: 0, from: BigInt(50 - count), to: 50n }])
  })

  test('counts keys and headers', async () => {
    const small = createMessages(50, Buffer.alloc(bytes - 100))
    const padded = small.map((message) => {
      return { ...message, key: Buffer.alloc(40), headers: { trace: Buffer.alloc(55) } }
    })
    const { from } = await auditWith({ bytesMax: 33 * bytes + 999 }, padded)
    expect(noon - from).toBe(1_023_000)
  })

  test('does not exist for a command', async () => {
    const { from, tally } = await runAudit(
      dependenciesOf(createReader(createMessages(50))),
      request
    )
    expect([from, totalOf(tally.all).in_flight]).toEqual([request.from, 50])
    expect(tally.organizations.size).toBe(0)
  })
})

describe('dead-letter records', () => {
  /** Writes a dead-letter record for each message, at the time of the message. */
  function createDeadLetters(held: readonly Message[], group = 'storage'): Message[] {
    return held.map((message) => ({
      ...message,
      headers: {
        ...{ dead_letter_reason: 'id_conflict', dead_letter_group: group },
        ...{ dead_letter_topic: topic, dead_letter_partition: '0' },
        dead_letter_offset: String(message.offset)
      }
    }))
  }

  /** Every message is committed, and is missing unless a dead-letter record is read for it. */
  async function auditDeadLettered(changes: Partial<AuditLimits>, deadLetters?: Message[]) {
    const held = createMessages(50)
    const reader = createReader(held, deadLetters ?? createDeadLetters(held))
    const dependencies: AuditDependencies = {
      ...dependenciesOf(reader),
      decode: async () => deadLetter('decode', 'undecodable', 'poison'),
      readCommitted: async () => [50n]
    }
    const all = { ...request, limits: { ...limits, ...changes } }
    const { from, tally } = await runAudit(dependencies, all)
    const { conflict, missing } = totalOf(tally.all)
    return { seconds: (noon - from) / 1000, conflict, missing }
  }

  test('are all read within the limits', async () => {
    const found = await auditDeadLettered({ bytesMax: 100 * bytes })
    expect(found).toEqual({ seconds: 3600, conflict: 50, missing: 0 })
  })

  test('that exceed the byte limit shorten the window without missing messages', async () => {
    // With their headers, dead-letter records are larger than the messages. The first slice already
    // reads five minutes of them, because of the clock skew.
    const found = await auditDeadLettered({ bytesMax: 36 * bytes })
    expect(found).toEqual({ seconds: 1023, conflict: 18, missing: 0 })
  })

  test('of the last second are read whatever their size', async () => {
    const deadLetters = createDeadLetters(createMessages(50, Buffer.alloc(1000 * bytes)))
    const found = await auditDeadLettered({}, deadLetters)
    expect(found).toEqual({ seconds: 31, conflict: 1, missing: 0 })
  })

  test('that exceed the limit of records shorten the window', async () => {
    const limited = { bytesMax: 100 * bytes }
    const few = await auditDeadLettered({ ...limited, deadLettersMax: 20 })
    expect(few).toEqual({ seconds: 511, conflict: 9, missing: 0 })
    const none = await auditDeadLettered({ ...limited, deadLettersMax: 0 })
    expect(none).toEqual({ seconds: 1, conflict: 1, missing: 0 })
  })

  test('of another group do not count towards the limit of records', async () => {
    const others = createDeadLetters(createMessages(50), 'evaluation')
    const found = await auditDeadLettered({ bytesMax: 100 * bytes, deadLettersMax: 0 }, others)
    expect(found).toEqual({ seconds: 3600, conflict: 0, missing: 50 })
  })
})

describe('organizations', () => {
  test('are counted each for itself', async () => {
    const { tally } = await auditWith({})
    const counts = [...tally.organizations.values()].map((figures) => totalOf(figures).in_flight)
    expect(counts).toEqual(Array.from({ length: 50 }, () => 1))
  })

  test('are limited in number, but all messages count for the installation', async () => {
    const { tally } = await auditWith({ organizationsMax: 10 })
    expect([tally.organizations.size, totalOf(tally.all).in_flight]).toEqual([10, 50])
  })

  test('are preferred, however many others come first', async () => {
    const preferredOrganizations = new Set(['organization 0', 'organization 7'])
    const audit = await auditWith({ organizationsMax: 10, preferredOrganizations })
    const counted = [...audit.tally.organizations.keys()]
    expect(counted).toHaveLength(10)
    expect(counted).toEqual(expect.arrayContaining([...preferredOrganizations]))
    expect(audit.everyOrganizationIsCounted).toBe(false)
    expect((await auditWith({ preferredOrganizations })).everyOrganizationIsCounted).toBe(true)
  })

  test('are counted in every slice or not at all', async () => {
    const dependencies: AuditDependencies = {
      ...dependenciesOf(createReader(createMessages(50))),
      decode: async ({ offset }) => {
        const organization_id = offset === 49n || offset === 31n ? 'ours' : `another ${offset}`
        return { kind: 'decoded', value: aDecision({ organization_id }) }
      }
    }
    const limited = { ...request, limits: { ...limits, organizationsMax: 3 } }
    const { tally } = await runAudit(dependencies, limited)
    const ours = tally.organizations.get('ours')
    expect(ours === undefined ? null : totalOf(ours).in_flight).toBe(2)
  })
})

test('an interrupted audit has no result', async () => {
  const reader = createReader(createMessages(50))
  const interrupted = { ...dependenciesOf(reader), signal: AbortSignal.abort() }
  await expect(runAudit(interrupted, request)).rejects.toThrow('aborted')
})
