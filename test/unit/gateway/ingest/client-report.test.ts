/** Tests client reports: known reasons are counted by name, other reasons together, and malformed
 * reports as unreadable.
 */
import { describe, expect, test } from '@jest/globals'
import { createTakeClientReport, dropReasons } from '../../../../gateway/ingest/client-report.ts'
import { createUsageCounters } from '../../../../usage/usage-counters.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { batchOf, organizationId, principal, submissionOf } from './fakes.ts'

function take(client_report: unknown, ...agents: unknown[]) {
  const metrics = new RecordingMetrics()
  const usage = createUsageCounters({ metrics })
  const items = agents.map((agent_id) => ({
    submission: submissionOf({ input: 1, output: '', agent_id })
  }))
  createTakeClientReport({ metrics, usage })(batchOf(items, client_report), principal)
  const { keys, organizations } = usage.drain()
  const reasons = metrics.counts.map(({ labels, value }) => [labels['reason'], value])
  const known = [...(organizations.get(organizationId)?.agents ?? [])]
  return {
    reasons,
    ofKey: [...(keys.get(principal.key_id)?.dropped ?? [])],
    ofAgents: known.map(([agentId, { dropped }]) => [agentId, [...dropped]])
  }
}

test('counts the reasons of the contract by name and others as other', () => {
  const counted = [
    ['queue_full', 3],
    ['other', 2]
  ]
  const { reasons, ofKey } = take({ dropped: { queue_full: 3, shutdown: 0, cosmic_rays: 2 } })
  expect(reasons).toEqual(counted)
  expect(ofKey).toEqual(counted)
  expect(dropReasons).toEqual(expect.arrayContaining(['queue_full', 'other', 'unreadable']))
})

test('counts nothing without a report', () => {
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
])('counts %j as unreadable', (report) => {
  expect(take(report).reasons).toEqual([['unreadable', 1]])
})

describe('the agent that the drops count for', () => {
  const dropped = { queue_full: 3 }
  const counts = [['queue_full', 3]]

  test.each([
    ['the agent in the report', { dropped, agent_id: 'b' }, ['a'], [['b', counts]]],
    ['the only agent of the batch', { dropped }, ['a', 'a'], [['a', counts]]],
    ['none of two agents', { dropped }, ['a', 'b'], []],
    ['none, if another agent is unknown', { dropped }, ['a', 7], []],
    ['decisions without an agent', { dropped }, [undefined], [['', counts]]],
    ['none for a report without decisions', { dropped }, [], []]
  ])('%s', (_what, report, agents, expected) => {
    const { ofKey, ofAgents } = take(report, ...agents)
    expect(ofAgents).toEqual(expected)
    expect(ofKey).toEqual(counts)
  })
})
