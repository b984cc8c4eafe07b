/** Tests that the OpenAPI document describes every route and every problem. */
import { describe, expect, test } from '@jest/globals'
import { problems } from '../../../core/problem.ts'
import { openApiOf } from '../../../http/openapi.ts'
import type { Route } from '../../../http/route.ts'
import { describeRoutes } from '../../../gateway/routes.ts'
import { createCheck } from '../../../platform/validation/json-schema.ts'
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import { exampleOf } from '../../../http/schema.ts'

const routes = describeRoutes()
const named = routes.map((route): [string, Route] => [`${route.method} ${route.path}`, route])

interface OperationObject {
  readonly operationId: string
  readonly tags: string[]
  readonly security: Record<string, unknown>[]
  readonly parameters: { name: string; in: string; required: boolean; schema: JsonSchema }[]
  readonly requestBody?: unknown
  readonly responses: Record<string, { description: string; content: Record<string, unknown> }>
}

interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, OperationObject>>
  readonly components: { schemas: Record<string, unknown>; securitySchemes: object }
}

const document = JSON.parse(JSON.stringify(openApiOf(routes))) as Document

function operationOf({ method, path }: Route): OperationObject {
  const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method]
  if (operation === undefined) throw new Error(`${method} ${path} is not in the document`)
  return operation
}

/** Returns the values of all members with this name, at any depth. */
function valuesOf(node: unknown, name: string): unknown[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]) => [
    ...(key === name ? [value as unknown] : []),
    ...valuesOf(value, name)
  ])
}

describe('the document', () => {
  test('has each route once and nothing else', () => {
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`)
    )
    const served = routes.map(
      ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`
    )
    expect(documented.toSorted()).toEqual(served.toSorted())
  })

  test('names every operation once', () => {
    const ids = routes.map(({ operation }) => operation.operation_id)
    expect(valuesOf(document.paths, 'operationId')).toEqual(expect.arrayContaining(ids))
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('has no dangling references', () => {
    const references = valuesOf(document, '$ref')
    expect(references.length).toBeGreaterThan(0)
    for (const reference of references) {
      expect(reference).toMatch(/^#\//)
      const steps = String(reference).slice(2).split('/')
      const found = steps.reduce<unknown>(
        (node, step) => (node as Record<string, unknown> | undefined)?.[step],
        document
      )
      expect([reference, typeof found]).toEqual([reference, 'object'])
    }
  })

  test('contains no $id, which would change the base of references', () => {
    expect(valuesOf(document, '$id')).toEqual([])
  })

  test('lists every problem code', () => {
    const [codes] = valuesOf(document.components.schemas['Problem'], 'enum')
    expect(codes).toEqual(Object.keys(problems))
  })

  test('describes only the routes it is given', () => {
    const ingestDocument = openApiOf(routes.filter(({ surface }) => surface === 'ingest'))
    expect(Object.keys(ingestDocument['paths'] as object)).toEqual([
      '/v1/ingest',
      '/v1/ingest/batch',
      '/v1/traces',
      '/v1/logs',
      '/v1/ingest/{decision_id}'
    ])
  })
})

describe.each(named)('%s', (_name, route) => {
  const operation = operationOf(route)
  const { params, body, response } = route.operation

  test('documents every problem under its status', () => {
    for (const code of [...route.operation.problems, 'internal_error'] as const) {
      const refusal = operation.responses[String(problems[code].status)]
      expect(refusal?.description).toContain(`\`${code}\``)
      const own = route.operation.errorSchema === undefined ? [] : ['application/json']
      const types = ['application/problem+json', ...own]
      expect(Object.keys(refusal?.content ?? {})).toEqual(types)
    }
  })

  test('has examples of headers that a request can contain', () => {
    for (const { example } of Object.values(route.operation.headers ?? {})) {
      expect(example).toMatch(/^[!-~](?:[ -~]*[!-~])?$/)
    }
  })

  test('lists no problem twice', () => {
    expect(new Set(route.operation.problems).size).toBe(route.operation.problems.length)
  })

  test('documents each path parameter as required', () => {
    const placeholders = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    const documented = operation.parameters.filter((each) => each.in === 'path')
    expect(documented.map(({ name }) => name)).toEqual(placeholders)
    expect(documented.every(({ required }) => required)).toBe(true)
    expect(Object.keys((params as { properties?: object } | undefined)?.properties ?? {})).toEqual(
      placeholders
    )
  })

  test('documents the credentials of the route', () => {
    const { kind } = route.credential
    const schemes = operation.security.flatMap((each) => Object.keys(each))
    expect(schemes).toEqual(kind === 'none' ? [] : kind.split('_or_'))
    for (const scheme of schemes) {
      expect(document.components.securitySchemes).toHaveProperty(scheme)
    }
  })

  test('has examples that match their schemas', () => {
    const examples = [...Object.values(response), ...(body === undefined ? [] : [body])]
    for (const { schema } of examples) {
      // Removes formats, which only document a value and are unknown to the validator.
      const plain = JSON.parse(
        JSON.stringify(schema, (key, value: unknown) => (key === 'format' ? undefined : value))
      ) as JsonSchema
      expect(createCheck(plain)(exampleOf(schema))).toEqual([])
    }
    expect(operation.requestBody === undefined).toBe(body === undefined)
  })
})

test('documents 304 without a body for a response that may be unchanged', () => {
  const unchanged = routes.flatMap((route) => {
    const response = operationOf(route).responses['304']
    return response === undefined ? [] : [[`${route.method} ${route.path}`, response.content]]
  })
  expect(unchanged).toEqual([['get /v1/decisions/:decision_id', undefined]])
})
