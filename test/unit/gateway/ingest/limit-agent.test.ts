/** Tests the agent limit: only decisions of the agent that exceeds it are rejected. */
import { expect, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import type { DecisionBatch } from '../../../../gateway/ingest/decision-batch.ts'
import { createLimitAgents } from '../../../../gateway/ingest/limit-agent.ts'
import { FakeLimiter } from './fake-limiter.ts'
import { batchOf, organizationId, submissionOf } from './fakes.ts'

function scene(points: number) {
  const rateLimiter = new FakeLimiter()
  const limit = { points, windowSeconds: 60 }
  const { limitAgents, takeAgents } = createLimitAgents({ rateLimiter, limit })
  /** Limits a batch with a decision of each agent, and returns the code of each problem. */
  const codesOf = async (agents: readonly unknown[], organization = organizationId) => {
    const batch = batchOfAgents(...agents)
    await limitAgents(batch, organization)
    return batch.problems.map((problem) => problem?.code ?? null)
  }
  return { rateLimiter, limitAgents, takeAgents, codesOf }
}

function batchOfAgents(...agents: readonly unknown[]): DecisionBatch {
  return batchOf(
    agents.map((agent_id) => ({ submission: submissionOf({ input: 1, output: '', agent_id }) }))
  )
}

test('takes no points without a limit', async () => {
  const { rateLimiter, codesOf } = scene(0)
  expect(await codesOf(['a', 'a'])).toEqual([null, null])
  expect(rateLimiter.limits.size).toBe(0)
})

test('limits an agent separately in each organization', async () => {
  const { limitAgents, codesOf } = scene(2)
  expect(await codesOf(['a', 'a'])).toEqual([null, null])
  const refused = batchOfAgents('a')
  await limitAgents(refused, organizationId)
  expect(refused.problems[0]?.code).toBe('rate_limited')
  expect(refused.problems[0]?.options).toMatchObject({
    detail: 'Each agent may send 2 decisions per 60 s. Retry after the delay in `Retry-After`.',
    headers: { 'ratelimit-policy': '"agent";q=2;w=60', ratelimit: '"agent";r=0;t=13' }
  })
  expect(await codesOf(['b'])).toEqual([null])
  expect(await codesOf(['a'], '01938c4e-3333-7000-8000-5b7a9f002f6d')).toEqual([null])
})

test('rejects only decisions of the agent over its limit within a batch', async () => {
  const { codesOf } = scene(2)
  expect(await codesOf(['a', 'b', 'a', 'a', 'b', null])).toEqual([
    ...[null, null, null],
    ...['rate_limited', null, null]
  ])
})

test('accepts asynchronous results of the limiter, also next to synchronous ones', async () => {
  const { rateLimiter, codesOf } = scene(1)
  rateLimiter.slow.add(`agent:${organizationId}:a`)
  expect(await codesOf(['a'])).toEqual([null])
  expect(await codesOf(['b', 'a', 'b', 'a'])).toEqual([
    ...[null, 'rate_limited'],
    ...['rate_limited', 'rate_limited']
  ])
})

test('does not limit decisions without an agent', async () => {
  const { rateLimiter, codesOf } = scene(1)
  expect(await codesOf([null, undefined, '', null])).toEqual([null, null, null, null])
  expect(rateLimiter.limits.size).toBe(0)
})

test('takes no points for rejected decisions, which keep their problem', async () => {
  const { rateLimiter, limitAgents } = scene(1)
  const invalid = new Problem('invalid_decision', { detail: 'No.' })
  const submission = submissionOf({ input: 1, output: '', agent_id: 'a' })
  const batch = batchOf([{ submission, problem: invalid }, { submission }, { submission }])
  await limitAgents(batch, organizationId)
  expect(batch.problems[0]).toBe(invalid)
  expect(batch.problems.map((problem) => problem?.code ?? null)).toEqual([
    ...['invalid_decision', null, 'rate_limited']
  ])
  expect([...rateLimiter.left.values()]).toEqual([0])
})

test('fails if the limiter fails', async () => {
  const { rateLimiter, codesOf } = scene(1)
  const bug = new TypeError('a bug')
  rateLimiter.slow.add(`agent:${organizationId}:a`)
  rateLimiter.meanwhile = () => {
    throw bug
  }
  await expect(codesOf(['a', 'b'])).rejects.toBe(bug)
})

test('takes the points of all agents, or none', async () => {
  const { rateLimiter, takeAgents, codesOf } = scene(3)
  const two = [batchOfAgents('a', 'b', 'a'), batchOfAgents('b', '')]
  const giveBack = await takeAgents(two, organizationId)
  await expect(takeAgents(two, organizationId)).rejects.toMatchObject({ code: 'rate_limited' })
  expect(await codesOf(['a', 'b'])).toEqual([null, null])
  giveBack()
  rateLimiter.slow.add(`agent:${organizationId}:a`)
  await takeAgents(two, organizationId)
  expect(await codesOf(['a', 'b'])).toEqual(['rate_limited', 'rate_limited'])
})

test('refuses more decisions of an agent than its window has points', async () => {
  const { takeAgents, codesOf } = scene(2)
  await expect(
    takeAgents([batchOfAgents('a', 'b', 'b', 'b')], organizationId)
  ).rejects.toMatchObject({
    code: 'payload_too_large',
    message:
      'Each agent may send 2 decisions per 60 s; the request has 3. Set a smaller batch size.'
  })
  expect(await codesOf(['a', 'a'])).toEqual([null, null])
})

test('refuses requests of very many agents', async () => {
  const { rateLimiter, takeAgents } = scene(2)
  const agents = Array.from({ length: 1001 }, (_, index) => `agent ${index}`)
  await expect(takeAgents([batchOfAgents(...agents)], organizationId)).rejects.toMatchObject({
    code: 'payload_too_large'
  })
  expect(rateLimiter.limits.size).toBe(0)
})

test('takes no points of agents without a limit', async () => {
  const { rateLimiter, takeAgents } = scene(0)
  const giveBack = await takeAgents([batchOfAgents('a')], organizationId)
  giveBack()
  expect(rateLimiter.limits.size).toBe(0)
})
