/** The document tells of every route, every refusal and nothing else. */
import { describe, expect, test } from '@jest/globals'
import { problems } from '../../../core/problem.ts'
import { jsonReply } from '../../../http/call.ts'
import { openApiOf } from '../../../http/openapi.ts'
import type { Route } from '../../../http/route.ts'
import { createRoutes } from '../../../gateway/routes.ts'
import { createCheck } from '../../../platform/validation/json-schema.ts'
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import { handlersOf } from '../../support/handlers-of.ts'

const answer = async () => jsonReply(200, '{}')
const routes = createRoutes(handlersOf(answer), () => answer)
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

/** Every value under a name, however deep. */
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

  test('has no reference that leads nowhere', () => {
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

  test('holds no identity of a schema, which would move its references elsewhere', () => {
    expect(valuesOf(document, '$id')).toEqual([])
  })

  test('knows every code that a refusal may carry', () => {
    const [codes] = valuesOf(document.components.schemas['Problem'], 'enum')
    expect(codes).toEqual(Object.keys(problems))
  })

  test('of fewer routes tells only of them', () => {
    const door = openApiOf(routes.filter(({ surface }) => surface === 'ingest'))
    expect(Object.keys(door['paths'] as object)).toEqual([
      '/v1/ingest',
      '/v1/ingest/batch',
      '/v1/ingest/{decision_id}'
    ])
  })
})

describe.each(named)('%s', (_name, route) => {
  const operation = operationOf(route)
  const { params, body, response } = route.operation

  test('documents every refusal under its status', () => {
    for (const code of [...route.operation.problems, 'internal_error'] as const) {
      const refusal = operation.responses[String(problems[code].status)]
      expect(refusal?.description).toContain(`\`${code}\``)
      expect(Object.keys(refusal?.content ?? {})).toEqual(['application/problem+json'])
    }
  })

  test('names no refusal twice', () => {
    expect(new Set(route.operation.problems).size).toBe(route.operation.problems.length)
  })

  test('documents each placeholder of its path as required', () => {
    const placeholders = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    const documented = operation.parameters.filter((each) => each.in === 'path')
    expect(documented.map(({ name }) => name)).toEqual(placeholders)
    expect(documented.every(({ required }) => required)).toBe(true)
    expect(Object.keys(params?.['properties'] ?? {})).toEqual(placeholders)
  })

  test('says by which credential it may be called', () => {
    const { kind } = route.credential
    const schemes = operation.security.flatMap((each) => Object.keys(each))
    expect(schemes).toEqual(kind === 'none' ? [] : kind.split('_or_'))
    for (const scheme of schemes) {
      expect(document.components.securitySchemes).toHaveProperty(scheme)
    }
  })

  test('has examples that fit their schemas', () => {
    const examples = [...Object.values(response), ...(body === undefined ? [] : [body])]
    for (const { schema, example } of examples) {
      // What a format means is for people here; the check itself knows none.
      const plain = JSON.parse(
        JSON.stringify(schema, (key, value: unknown) => (key === 'format' ? undefined : value))
      ) as JsonSchema
      expect(createCheck(plain)(example)).toEqual([])
    }
    expect(operation.requestBody === undefined).toBe(body === undefined)
  })
})

test('an answer that may be unchanged says so, without a body', () => {
  const unchanged = routes.flatMap((route) => {
    const response = operationOf(route).responses['304']
    return response === undefined ? [] : [[`${route.method} ${route.path}`, response.content]]
  })
  expect(unchanged).toEqual([['get /v1/decisions/:decision_id', undefined]])
})
