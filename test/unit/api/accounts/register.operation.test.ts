/** What the operations of accounts promise: examples that fit, refusals that exist. */
import { expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { problems } from '../../../../core/problem.ts'
import * as email from '../../../../api/accounts/email.operation.ts'
import { loginOperation } from '../../../../api/accounts/sessions/login.operation.ts'
import { nextSteps } from '../../../../api/accounts/next-steps.ts'
import * as password from '../../../../api/accounts/passwords/password.operation.ts'
import * as person from '../../../../api/accounts/person.operation.ts'
import * as register from '../../../../api/accounts/register.operation.ts'
import * as sessions from '../../../../api/accounts/sessions/session.operation.ts'
import type { Operation } from '../../../../http/route.ts'
import { createRoutes } from '../../../../gateway/routes.ts'
import { handlersOf } from '../../../support/handlers-of.ts'

const ajv = new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true })
addFormats.default(ajv)

const operations = [email, password, person, sessions, register, { loginOperation }]
  .flatMap((each) => Object.values(each as Record<string, Operation>))
  .filter((each) => typeof each === 'object' && 'operation_id' in each)
  .map((operation) => [operation.operation_id, operation] as const)

test('there are all sixteen', () => {
  expect(operations).toHaveLength(16)
})

test.each(operations)('%s: every example fits its schema', (_, { response, body }) => {
  const shown = [...Object.values(response), ...(body === undefined ? [] : [body])]
  for (const { schema, example } of shown) {
    const validate = ajv.compile(schema)
    expect(validate(example) ? null : validate.errors).toBeNull()
  }
})

test.each(operations)('%s: every refusal is in the table, once', (_, operation) => {
  expect(operation.problems.filter((code) => !(code in problems))).toEqual([])
  expect(new Set(operation.problems).size).toBe(operation.problems.length)
})

const api_key = { id: 'a', key: 'slk_x', scopes: ['ingest'] } as const

test('who has registered is told of calls that there are', () => {
  const handler = () => Promise.reject(new Error('never called'))
  const routes = createRoutes(handlersOf(handler), () => handler)
  const existing = new Set(routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`))
  const steps = nextSteps({ role: 'owner', api_key, email_verified: false })
  expect(steps.filter(({ method, path }) => !existing.has(`${method} ${path}`))).toEqual([])
})

test('who has no key is told to make one, if the role may', () => {
  const paths = (role: string) =>
    nextSteps({ role, api_key: null, email_verified: true }).map(({ path }) => path)
  expect(paths('owner')).toEqual(['/v1/auth/api-keys', '/v1/decisions'])
  expect(paths('viewer')).toEqual(['/v1/decisions'])
})

test('no two routes of the gateway have one operation: the handler of one would serve both', () => {
  const handler = () => Promise.reject(new Error('never called'))
  const ids = createRoutes(handlersOf(handler), () => handler)
    .filter(({ path }) => !path.includes('tail'))
    .map(({ operation }) => operation.operation_id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})
