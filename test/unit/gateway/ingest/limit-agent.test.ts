/** Tests the agent limit: only the agent that exceeds it is rejected. */
import { expect, test } from '@jest/globals'
import { createLimitAgent } from '../../../../gateway/ingest/limit-agent.ts'
import { aDecision } from '../../../support/builders.ts'
import { FakeLimiter } from './fake-limiter.ts'

function scene(points: number) {
  const rateLimiter = new FakeLimiter()
  const limit = { points, windowSeconds: 60 }
  return { rateLimiter, limitAgent: createLimitAgent({ rateLimiter, limit }) }
}

test('takes no points without a limit', () => {
  const { rateLimiter, limitAgent } = scene(0)
  expect(limitAgent(aDecision())).toBeNull()
  expect(rateLimiter.limits.size).toBe(0)
})

test('limits an agent separately in each organization', async () => {
  const { limitAgent } = scene(2)
  const mine = aDecision({ agent_id: 'a' })
  expect([limitAgent(mine), limitAgent(mine)]).toEqual([null, null])
  const refused = await limitAgent(mine)
  expect(refused?.code).toBe('rate_limited')
  expect(refused?.options).toMatchObject({
    detail: 'Each agent may send 2 decisions per 60 s. Retry after the delay in `Retry-After`.',
    headers: { 'ratelimit-policy': '"agent";q=2;w=60', ratelimit: '"agent";r=0;t=13' }
  })
  expect(limitAgent(aDecision({ agent_id: 'b' }))).toBeNull()
  const organization_id = '01938c4e-3333-7000-8000-5b7a9f002f6d'
  expect(limitAgent(aDecision({ agent_id: 'a', organization_id }))).toBeNull()
})

test('accepts an asynchronous result of the limiter', async () => {
  const { rateLimiter, limitAgent } = scene(1)
  const mine = aDecision({ agent_id: 'a' })
  rateLimiter.slow.add(`agent:${mine.organization_id}:a`)
  expect(await limitAgent(mine)).toBeNull()
  expect((await limitAgent(mine))?.code).toBe('rate_limited')
})

test('does not limit decisions without an agent', () => {
  const { rateLimiter, limitAgent } = scene(1)
  const nobodys = aDecision({ agent_id: null })
  expect([limitAgent(nobodys), limitAgent(nobodys)]).toEqual([null, null])
  expect(rateLimiter.limits.size).toBe(0)
})
