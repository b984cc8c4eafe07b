/** Tests account operations: their examples match their schemas, and their problem codes exist. */
import { expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { problems } from '../../../../core/problem.ts'
import { nextSteps } from '../../../../api/accounts/register.ts'
import { accountRoutes } from '../../../../api/accounts/routes.ts'
import { describeRoutes } from '../../../../gateway/routes.ts'
import { exampleOf } from '../../../../http/schema.ts'

const ajv = new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true })
addFormats.default(ajv)

const operations = accountRoutes.map(
  ({ operation }) => [operation.operation_id, operation] as const
)

test('covers all sixteen operations', () => {
  expect(operations).toHaveLength(16)
})

test.each(operations)('%s: has examples that match their schemas', (_, { response, body }) => {
  const shown = [...Object.values(response), ...(body === undefined ? [] : [body])]
  for (const { schema } of shown) {
    const validate = ajv.compile(schema)
    expect(validate(exampleOf(schema)) ? null : validate.errors).toBeNull()
  }
})

test.each(operations)(
  '%s: lists each problem code once, and only codes that exist',
  (_, operation) => {
    expect(operation.problems.filter((code) => !(code in problems))).toEqual([])
    expect(new Set(operation.problems).size).toBe(operation.problems.length)
  }
)

const api_key = { id: 'a', key: 'slk_x', scopes: ['ingest'] } as const

test('suggests only existing requests to a new user', () => {
  const existing = new Set(
    describeRoutes().map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  )
  const steps = nextSteps({ role: 'owner', api_key, email_verified: false })
  expect(steps.filter(({ method, path }) => !existing.has(`${method} ${path}`))).toEqual([])
})

test('suggests creating a key to a user without one, if their role allows it', () => {
  const paths = (role: string) =>
    nextSteps({ role, api_key: null, email_verified: true }).map(({ path }) => path)
  expect(paths('owner')).toEqual(['/v1/auth/api-keys', '/v1/decisions'])
  expect(paths('viewer')).toEqual(['/v1/decisions'])
})

test('has a different operation id for each route, so that no handler serves two', () => {
  const ids = describeRoutes()
    .filter(({ path }) => !path.includes('tail'))
    .map(({ operation }) => operation.operation_id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})
