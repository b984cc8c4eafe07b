/** Tests the traffic that --fairness generates: rates, names and body sizes. */
import { expect, test } from '@jest/globals'
import { gunzipSync } from 'node:zlib'
import { agentsFlow, attacks, innocentFlows } from '../../../bench/attacks.ts'
import { membersMax } from '../../../core/json/json-members.ts'

const mebibyte = 1024 * 1024

function bodyOf(name: string): Buffer {
  const [body] = attacks.find((attack) => attack.name === name)?.bodies?.() ?? []
  if (body === undefined) throw new Error(`${name} has no body`)
  return body
}

function schemaOf(name: string): { allOf?: { pattern: string }[] } {
  const body = JSON.parse(bodyOf(name).toString()) as {
    evaluator: { config: { schema: { allOf?: { pattern: string }[] } } }
  }
  return body.evaluator.config.schema
}

test('limits the rate of every flow and gives it a unique name', () => {
  const flows = [...innocentFlows, agentsFlow, ...attacks]
  expect(new Set(flows.map(({ name }) => name)).size).toBe(flows.length)
  for (const { name, perSecond, requestsMax = Infinity } of flows) {
    expect([name, Math.min(perSecond, requestsMax) <= 300]).toEqual([name, true])
  }
})

test('creates schemas that are large but within the size limit', () => {
  expect(schemaOf('schema-480').allOf).toHaveLength(480)
  expect(schemaOf('schema-64k').allOf).toHaveLength(501)
  expect(JSON.stringify(schemaOf('schema-64k')).length).toBeGreaterThan(60_000)
  for (const name of ['schema-480', 'schema-64k', 'schema-doubling']) {
    expect(JSON.stringify(schemaOf(name)).length).toBeLessThanOrEqual(65_536)
  }
})

test.each(['regex-1m', 'similarity-1m'])('fills the body of %s up to the limit', (name) => {
  expect(bodyOf(name).length).toBeGreaterThan(0.85 * mebibyte)
  expect(bodyOf(name).length).toBeLessThanOrEqual(mebibyte)
})

test.each([
  ['members', 4 * mebibyte, 10 * mebibyte],
  ['members-accepted', 3.5 * mebibyte, 4 * mebibyte]
])('sends %s as a small gzip body with too many members', (name, least, most) => {
  const body = bodyOf(name)
  const inflated = gunzipSync(body)
  expect(body.length).toBeLessThan(2 * mebibyte)
  expect(inflated.length).toBeGreaterThan(least)
  expect(inflated.length).toBeLessThan(most)
  const { input } = JSON.parse(inflated.toString()) as { input: object }
  expect(Object.keys(input).length).toBeGreaterThan(membersMax)
})
