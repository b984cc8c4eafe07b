/** Tests that the examples of operations match their schemas, and that problem codes exist. */
import { expect, test } from '@jest/globals'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { problems } from '../../../core/problem.ts'
import { apiRoutes } from '../../../api/routes.ts'
import { exampleOf } from '../../../http/schema.ts'

const ajv = new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true })
addFormats.default(ajv)

/** Returns the schema violations of the example, or null. */
function errorsOf(schema: object) {
  const validate = ajv.compile(schema)
  return validate(exampleOf(schema)) ? null : validate.errors
}

const operations = apiRoutes.map(({ operation }) => [operation.operation_id, operation] as const)

test.each(operations)('%s: all examples match their schemas', (_, { response, body }) => {
  for (const { schema } of Object.values(response)) {
    expect(errorsOf(schema)).toBeNull()
  }
  if (body !== undefined) expect(errorsOf(body.schema)).toBeNull()
})

test.each(operations)('%s: all problem codes exist, each once', (_, operation) => {
  expect(operation.problems.filter((code) => !(code in problems))).toEqual([])
  expect(new Set(operation.problems).size).toBe(operation.problems.length)
})
