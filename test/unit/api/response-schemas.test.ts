/** What the operations promise: examples that fit their schemas, refusals that exist. */
import { expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { problems } from '../../../core/problem.ts'
import * as lists from '../../../api/decisions/list/list-decisions.operation.ts'
import { loginOperation } from '../../../api/accounts/sessions/login.operation.ts'
import { readDecisionOperation } from '../../../api/decisions/read-decision.operation.ts'
import { readEvaluationOperation } from '../../../api/results/read-evaluation.operation.ts'

const ajv = new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true })
addFormats.default(ajv)

/** What is wrong with an example, or null. */
function errorsOf(schema: object, example: unknown) {
  const validate = ajv.compile(schema)
  return validate(example) ? null : validate.errors
}

const operations = [
  lists.listDecisionsOperation,
  lists.searchDecisionsOperation,
  loginOperation,
  readDecisionOperation,
  readEvaluationOperation
].map((operation) => [operation.operation_id, operation] as const)

test.each(operations)('%s: every example fits its schema', (_, { response, body }) => {
  for (const { schema, example } of Object.values(response)) {
    expect(errorsOf(schema, example)).toBeNull()
  }
  if (body !== undefined) expect(errorsOf(body.schema, body.example)).toBeNull()
})

test.each(operations)('%s: every refusal is in the table, once', (_, operation) => {
  expect(operation.problems.filter((code) => !(code in problems))).toEqual([])
  expect(new Set(operation.problems).size).toBe(operation.problems.length)
})
