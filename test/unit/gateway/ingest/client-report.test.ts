/** What SDKs dropped: known reasons by name, all others together, nonsense harmless. */
import { describe, expect, test } from '@jest/globals'
import { createTakeClientReport, dropReasons } from '../../../../gateway/ingest/client-report.ts'
import { createNotedFacts } from '../../../../usage/noted-facts.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { organizationId, principal, submissionOf } from './fakes.ts'

function take(client_report: unknown, ...agents: unknown[]) {
  const metrics = new RecordingMetrics()
  const facts = createNotedFacts({ metrics })
  const items = agents.map((agent_id) => submissionOf({ input: 1, output: '', agent_id }))
  createTakeClientReport({ metrics, facts })({ client_report, items, sizes: [] }, principal)
  const { keys, organizations } = facts.drain()
  const reasons = metrics.counts.map(({ labels, value }) => [labels['reason'], value])
  const known = [...(organizations.get(organizationId)?.agents ?? [])]
  return {
    reasons,
    ofKey: [...(keys.get(principal.key_id)?.dropped ?? [])],
    ofAgents: known.map(([agentId, { dropped }]) => [agentId, [...dropped]])
  }
}

test('reasons of the contract are counted by name, others as other', () => {
  const counted = [
    ['queue_full', 3],
    ['other', 2]
  ]
  const { reasons, ofKey } = take({ dropped: { queue_full: 3, shutdown: 0, cosmic_rays: 2 } })
  expect(reasons).toEqual(counted)
  expect(ofKey).toEqual(counted)
  expect(dropReasons).toEqual(expect.arrayContaining(['queue_full', 'other', 'unreadable']))
})

test('no report counts nothing', () => {
  expect(take(undefined, 'a')).toEqual({ reasons: [], ofKey: [], ofAgents: [] })
})

test.each([
  [null],
  [5],
  [{}],
  [{ dropped: { queue_full: -1 } }],
  [{ dropped: [1] }],
  [{ dropped: { queue_full: 1 }, agent_id: 7 }],
  [{ dropped: { queue_full: 1 }, agent_id: 'a'.repeat(256) }]
])('%j counts as unreadable', (report) => {
  expect(take(report).reasons).toEqual([['unreadable', 1]])
})

describe('whose they were', () => {
  const dropped = { queue_full: 3 }
  const counts = [['queue_full', 3]]

  test.each([
    ['the agent that the report names', { dropped, agent_id: 'b' }, ['a'], [['b', counts]]],
    ['the only agent of the batch', { dropped }, ['a', 'a'], [['a', counts]]],
    ['of two agents neither', { dropped }, ['a', 'b'], []],
    ['an agent beside one that cannot be known: neither', { dropped }, ['a', 7], []],
    ['the decisions without an agent', { dropped }, [undefined], [['', counts]]],
    ['a report alone names nobody', { dropped }, [], []]
  ])('%s', (_what, report, agents, expected) => {
    const { ofKey, ofAgents } = take(report, ...agents)
    expect(ofAgents).toEqual(expected)
    expect(ofKey).toEqual(counts)
  })
})
