/** Tests that the docs for data teams match the code: tables, sample programs and reader
 * permissions.
 */
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { asyncapiMessages } from '../cli/schemas/asyncapi-messages.ts'
import { decisionContract, schemaCompatibility } from '../schemas/index.ts'
import { blocksIn, code, codesIn, read, rowsOf, sectionOf } from './docs/pages.ts'

const page = 'docs/guides/read-topics.md'
const records = 'docs/reference/topic-records.md'

test('the documented headers equal those in the AsyncAPI document', () => {
  const rows = rowsOf(sectionOf(records, 'Headers'))
  const headersOf = (record: string): string[] =>
    rows.filter(([, on]) => on?.includes(record)).flatMap(([name]) => codesIn(name ?? ''))
  const { decisions, evaluations } = asyncapiMessages
  expect(headersOf('decisions')).toEqual(Object.keys(decisions.headers.properties))
  expect(headersOf('evaluations')).toEqual(Object.keys(evaluations.headers.properties))
})

test('the documented fields equal those in the schema', () => {
  const rows = rowsOf(sectionOf(records, 'Fields of a decision'))
  const { fields } = JSON.parse(decisionContract.text) as { fields: { name: string }[] }
  expect(rows.map(([name]) => name)).toEqual(fields.map(({ name }) => code(name)))
})

test('the documented compatibility equals the configured one', () => {
  expect(sectionOf(records, 'Compatibility')).toContain(code(schemaCompatibility))
})

test.each([
  ['python', 'Read everything with Python', 'deploy/readers/read_topics.py'],
  ['sql', 'Query an export with DuckDB', 'deploy/readers/export.sql']
])('the %s block under "%s" is part of %s', (language, heading, file) => {
  const [block = 'nothing'] = blocksIn(sectionOf(page, heading), language)
  expect(read(file)).toContain(block)
})

describe('the documented permissions of a reader', () => {
  interface Acl {
    readonly resource: Readonly<Record<'type' | 'name' | 'patternType', string>>
    readonly operations: readonly string[]
  }
  const user = parse(read('deploy/readers/kafka-user.yaml')) as {
    readonly apiVersion: string
    readonly spec: { readonly authorization: { readonly type: string; readonly acls: Acl[] } }
  }

  test('are the same for Strimzi as for kafka-acls', () => {
    const names = { DECISIONS_TOPIC: 'agent-decisions', EVALUATIONS_TOPIC: 'decision-evaluations' }
    const section = sectionOf(page, 'Rights of a reader')
    const commands = blocksIn(section, 'sh')
      .flatMap((block) => block.replaceAll('\\\n', ' ').trim().split('\n'))
      .map((line) =>
        line.replaceAll(/"\$(\w+)"/g, (_, name: string) => names[name as never] ?? name)
      )
    const given = commands.flatMap((command) => {
      const of = (option: string): string[] =>
        [...command.matchAll(new RegExp(`--${option} (\\S+)`, 'g'))].map(([, value]) => value ?? '')
      return (['topic', 'group'] as const).flatMap((type) =>
        of(type).map((name) => ({ type, name, operations: of('operation') }))
      )
    })
    const { type, acls } = user.spec.authorization
    expect(type).toBe('simple')
    expect(acls.map(({ resource }) => resource.patternType)).toEqual(acls.map(() => 'literal'))
    expect(
      acls.map(({ resource, operations }) => ({
        ...{ type: resource.type, name: resource.name, operations }
      }))
    ).toEqual(given)
  })

  test('use the Strimzi API version of the chart', () => {
    expect(read('deploy/helm/sluice/templates/strimzi.yaml')).toContain(user.apiVersion)
  })
})
