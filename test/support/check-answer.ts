/** Checks real responses of the API against the schemas of their routes. */
import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv'
import { bySpecificity } from '../../http/app.ts'
import { problemSchema } from '../../http/reply/problem-schema.ts'
import { describeRoutes } from '../../gateway/routes.ts'

interface Answer {
  readonly status: number
  readonly text: string
  readonly contentType: string | null
}

const segmentOf = (segment: string): string =>
  segment.startsWith(':') ? '[^/]+' : segment.replaceAll('.', '\\.')

/** Routes in the order in which the server matches them. */
const routes = describeRoutes()
  .toSorted(bySpecificity)
  .map((route) => ({
    route,
    expression: new RegExp(`^${route.path.split('/').map(segmentOf).join('/')}$`)
  }))

const compiler = new Ajv2020({ allErrors: true, strictTypes: false, allowUnionTypes: true })
addFormats.default(compiler)
const checks = new Map<object, ValidateFunction>()

/**
 * Disallows additional members in each object that defines members. A response with an undocumented
 * member, for example a secret, is then invalid.
 */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.entries(schema).map(([name, part]) => [name, closed(part)])
  const isOpen = 'properties' in schema && !('additionalProperties' in schema)
  return { ...Object.fromEntries(parts), ...(isOpen && { additionalProperties: false }) }
}

function checkOf(schema: object): ValidateFunction {
  // Problems have members that depend on their code.
  const checked = schema === problemSchema ? { ...schema } : closed(schema)
  const check = checks.get(schema) ?? compiler.compile(checked as object)
  checks.set(schema, check)
  return check
}

/**
 * Throws if a JSON response does not match its schema, or if a status below 400 is not documented.
 * @param path the path of the request, without the query
 */
export function checkAnswer(method: string, path: string, answer: Answer): void {
  const { status, text, contentType } = answer
  const isOwn = status >= 400 && contentType === 'application/json'
  const schema = status < 400 || isOwn ? schemaOf(method, path, status) : problemSchema
  const isJson = /^application\/(problem\+)?json/.test(contentType ?? '')
  if (schema === null || !isJson || text === '') return
  const check = checkOf(schema)
  if (check(JSON.parse(text))) return
  const errors = compiler.errorsText(check.errors, { dataVar: '' })
  throw new Error(`${method} ${path} ${status} does not match its schema: ${errors}\n${text}`)
}

/** Returns null for 304, which has no body. */
function schemaOf(method: string, path: string, status: number): object | null {
  const found = routes.find(
    ({ route, expression }) => route.method === method.toLowerCase() && expression.test(path)
  )
  const { response, errorSchema } = found?.route.operation ?? {}
  const schema = status < 400 ? response?.[status]?.schema : errorSchema
  if (schema === undefined && status !== 304) {
    throw new Error(`${method} ${path} ${status} is not documented`)
  }
  return schema ?? null
}
