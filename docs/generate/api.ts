/** Generates docs/reference/api.md: routes, errors, and the fields of a decision. */
import { describeRoutes } from '../../gateway/routes.ts'
import { openApiOf } from '../../http/openapi.ts'
import type { Credential, Route } from '../../http/route.ts'
import { clientReportSchema } from '../../schemas/index.ts'
import { apiSections } from '../source/api-sections.ts'
import { sharedErrors } from '../source/shared-errors.ts'
import { formatDecisionFields } from './decision-fields.ts'
import { code, formatTable, read } from './markdown.ts'
import type { GeneratedPage } from './markdown.ts'

export const routes = describeRoutes()

function formatCaller(credential: Credential): string {
  const scopes = 'scope' in credential ? [credential.scope ?? []].flat() : []
  const key = scopes.length === 0 ? 'any API key' : `API key: ${scopes.map(code).join(' or ')}`
  switch (credential.kind) {
    case 'none':
      return 'anyone'
    case 'api_key':
      return key
    case 'session':
      return credential.role === undefined ? 'session' : `session: ${credential.role}`
    case 'session_or_api_key':
      return `session, or ${key}`
  }
}

/** Returns the errors that the OpenAPI document adds to all routes. */
function listCommonErrors(): string[] {
  const bare = routes.slice(0, 1).map((route) => {
    return { ...route, operation: { ...route.operation, problems: [] } }
  })
  const paths = openApiOf(bare)['paths'] as Record<string, Record<string, Described>>
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const responses = operations.flatMap((operation) => Object.values(operation.responses))
  return responses.flatMap(({ description }) =>
    [...description.matchAll(/`(\w+)`: /g)].map(([, name = '']) => name)
  )
}

interface Described {
  readonly responses: Readonly<Record<string, { readonly description: string }>>
}

const commonErrors = listCommonErrors()
const elsewhere: ReadonlySet<string> = new Set([
  ...commonErrors,
  ...Object.values(sharedErrors).flat()
])

function formatSharedErrors(): string {
  const groups = [['every route', commonErrors] as const, ...Object.entries(sharedErrors)]
  const rows = groups.map(([name, codes]) => {
    return [name === 'every route' ? name : `routes ${name}`, codes.map(code).join(', ')]
  })
  return formatTable(['routes', 'errors'], rows)
}

function formatRoute({ method, path, credential, operation }: Route): string[] {
  const errors = operation.problems.filter((name) => !elsewhere.has(name))
  return [
    code(`${method.toUpperCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
    operation.summary,
    formatCaller(credential),
    Object.keys(operation.response).join(', '),
    errors.map(code).join(', ')
  ]
}

const routeHead = ['route', 'summary', 'caller', 'success', 'other errors']

/**
 * Formats one table of routes per section.
 * @throws if a tag has no section
 */
function formatRoutes(): string {
  const byTag = Map.groupBy(routes, ({ operation }) => operation.tag)
  const unknown = [...byTag.keys()].filter((tag) => apiSections[tag] === undefined)
  if (unknown.length > 0) throw new Error(`api-sections.ts has no section for ${unknown.join()}`)
  const sections = Object.entries(apiSections).map(([tag, { title, guides }]) => {
    const links = guides.map((name) => {
      const [, heading = ''] = /^# (.+)$/m.exec(read(`docs/guides/${name}.md`)) ?? []
      return `[${heading}](../guides/${name}.md)`
    })
    const table = formatTable(routeHead, (byTag.get(tag) ?? []).map(formatRoute))
    return `### ${title}\n\nGuides: ${links.join(', ')}.\n\n${table}`
  })
  return sections.join('\n')
}

function formatDropReasons(): string {
  const { drop_reasons: meanings } = JSON.parse(read('sdk/conformance/options.json')) as {
    readonly drop_reasons: Readonly<Record<string, string>>
  }
  const names = Object.keys(clientReportSchema.properties.dropped.properties)
  return formatTable(
    ['reason', 'meaning'],
    names.map((name) => [code(name), meanings[name] ?? ''])
  )
}

export const api: GeneratedPage = {
  path: 'docs/reference/api.md',
  parts: () => ({
    routes: formatRoutes(),
    'shared errors': formatSharedErrors(),
    'decision fields': formatDecisionFields(),
    'drop reasons': formatDropReasons()
  })
}
