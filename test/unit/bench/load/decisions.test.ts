/** Tests the decisions that load processes send. */
import { expect, test } from '@jest/globals'
import {
  groupOf,
  hotAgent,
  makeDecisions,
  makeHotDecisions,
  makeUnicodeDecisions,
  partitionOfAgent
} from '../../../../bench/load/decisions.ts'
import { createCheck } from '../../../../platform/validation/json-schema.ts'
import { decisionBodySchema } from '../../../../schemas/index.ts'

const agentsOf = (decisions: readonly Record<string, unknown>[]): Set<string> =>
  new Set(decisions.map(({ agent_id }) => String(agent_id)))

test('creates valid decisions', () => {
  const check = createCheck(decisionBodySchema)
  expect(makeDecisions().flatMap((decision) => check(decision))).toEqual([])
  expect(makeHotDecisions().flatMap((decision) => check(decision))).toEqual([])
  expect(makeUnicodeDecisions().flatMap((decision) => check(decision))).toEqual([])
})

test('adds a hot agent to the same other agents', () => {
  expect(agentsOf(makeDecisions()).size).toBe(50)
  expect(agentsOf(makeHotDecisions())).toEqual(new Set([...agentsOf(makeDecisions()), hotAgent]))
})

test("groups agents in the hot agent's partition as neighbours", () => {
  expect(groupOf(hotAgent)).toBe('hot')
  for (const agent of agentsOf(makeDecisions())) {
    const isBeside = partitionOfAgent(agent) === partitionOfAgent(hotAgent)
    expect(groupOf(agent)).toBe(isBeside ? 'neighbours' : 'others')
  }
})
