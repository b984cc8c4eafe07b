/** Generates the OpenAPI 3.1 document from the route table, so that the two cannot differ. */
import { problems } from '../core/problem.ts'
import type { ProblemCode } from '../core/problem.ts'
import { problemContentType } from './reply/problem-reply.ts'
import { embedded } from './embedded.ts'
import { problemSchema } from './reply/problem-schema.ts'
import type { Credential, HeaderDefinition, Operation, Route } from './route.ts'
import { exampleOf } from './schema.ts'

/**
 * Problems that any route may return, because the server may reject a request before it reaches its
 * route.
 */
const commonProblems: readonly ProblemCode[] = [
  'malformed_request',
  'expectation_failed',
  'headers_too_large',
  'internal_error',
  'overloaded'
]

export function openApiOf(routes: readonly Route[]): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: operationObject(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice',
      version: '1',
      description: 'The ingestion gateway for AI-agent decisions.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' }
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: { Problem: problemSchema },
      securitySchemes
    }
  }
}

const securitySchemes = {
  api_key: { type: 'http', scheme: 'bearer', description: 'An API key, `slk_…`.' },
  session: { type: 'http', scheme: 'bearer', description: 'The access_token from a login.' }
}

function operationObject({ operation, credential }: Route): Record<string, unknown> {
  return {
    operationId: operation.operation_id,
    tags: [operation.tag],
    summary: operation.summary,
    description: operation.description,
    security: securityOf(credential),
    parameters: [
      ...parametersOf(operation.params, 'path'),
      ...parametersOf(operation.query, 'query'),
      ...headerParametersOf(operation.headers ?? {})
    ],
    ...(operation.body === undefined ? {} : { requestBody: requestBodyOf(operation.body) }),
    responses: { ...responsesOf(operation), ...refusalsOf(operation) }
  }
}

function securityOf(credential: Credential): object[] {
  if (credential.kind === 'none') return []
  if (credential.kind === 'api_key') return [{ api_key: [] }]
  return credential.kind === 'session' ? [{ session: [] }] : [{ session: [] }, { api_key: [] }]
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, { readonly description?: string }>>
  readonly required?: readonly string[]
}

function parametersOf(schema: object | undefined, place: 'path' | 'query'): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest
  }))
}

function headerParametersOf(headers: NonNullable<Operation['headers']>): object[] {
  const requestId = {
    description: 'Identifies the request in the response and in the logs. Generated if absent.',
    example: 'job-17.attempt-2'
  }
  const definitions: Record<string, HeaderDefinition> = { ...headers, 'X-Request-Id': requestId }
  return Object.entries(definitions).map(([name, { description, example, pattern }]) => ({
    name,
    in: 'header',
    required: false,
    description,
    example,
    schema: { type: 'string', ...(pattern === undefined ? {} : { pattern }) }
  }))
}

function requestBodyOf(body: NonNullable<Operation['body']>): object {
  const json = { schema: embedded(body.schema), example: exampleOf(body.schema) }
  // Requires at least one line that is not blank. Each line is validated separately.
  const lines = body.lines && {
    'application/x-ndjson': { schema: { type: 'string', pattern: '\\S' }, example: body.lines }
  }
  const protobuf = body.protobuf && { 'application/x-protobuf': {} }
  return { required: true, content: { 'application/json': json, ...lines, ...protobuf } }
}

function responsesOf(operation: Operation): Record<string, object> {
  const entries = Object.entries(operation.response).map(
    ([status, definition]): [string, object] => {
      const { description, schema, headers = {} } = definition
      const { content_type = 'application/json' } = definition
      const named = Object.entries({ ...headers, ...commonHeaders }).map(headerOf)
      const main = { schema: embedded(schema), example: exampleOf(schema) }
      const csv = definition.csv === true && { 'text/csv': { schema: { type: 'string' } } }
      const content = { [content_type]: main, ...csv }
      return [status, { description, headers: Object.fromEntries(named), content }]
    }
  )
  const isTagged = operation.headers?.['If-None-Match'] !== undefined
  return Object.fromEntries(isTagged ? [...entries, ['304', unchanged]] : entries)
}

const commonHeaders = {
  'X-Request-Id': 'The id of the request in the logs.',
  'X-Sluice-Version': 'The version of the gateway that sent the response.'
}

const unchanged = {
  description: 'Not modified: the ETag still matches. The response has no body.',
  headers: Object.fromEntries(Object.entries(commonHeaders).map(headerOf))
}

const retryAfter = { 'Retry-After': 'Whole seconds to wait before retrying.' }

/** Additional headers of error responses, by status. */
const refusalHeaders: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'The required kind of credential.' },
  429: retryAfter,
  503: retryAfter
}

function headerOf([name, meaning]: [string, string]): [string, object] {
  return [name, { description: meaning, schema: { type: 'string' } }]
}

/** Returns one response for each status. The response lists every code with that status. */
function refusalsOf(operation: Operation): Record<string, object> {
  const codes = [...new Set([...operation.problems, ...commonProblems])]
  const byStatus = Map.groupBy(codes, (code) => String(problems[code].status))
  const entries = [...byStatus].map(([status, group]): [string, object] => {
    const description = group.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' ')
    const schema = { $ref: '#/components/schemas/Problem' }
    const named = { ...refusalHeaders[Number(status)], ...commonHeaders }
    const headers = Object.fromEntries(Object.entries(named).map(headerOf))
    const { errorSchema } = operation
    const own = errorSchema && { 'application/json': { schema: errorSchema } }
    const content = { [problemContentType]: { schema }, ...own }
    return [status, { description, headers, content }]
  })
  return Object.fromEntries(entries)
}
