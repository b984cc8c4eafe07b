/** docs/data-teams.md against the code: its tables, its programs, and the rights it gives. */
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { asyncapiMessages } from '../cli/schemas/asyncapi-messages.ts'
import { decisionContract, schemaCompatibility, topicDefinitions } from '../schemas/index.ts'
import { blocksIn, code, codesIn, read, rowsOf, sectionOf } from './docs/pages.ts'

const page = 'docs/data-teams.md'
const dayMs = 86_400_000
const mebibyte = 1024 * 1024

test('topics are those of schemas/topics.json', () => {
  const rows = rowsOf(sectionOf(page, 'What is on the topics?')).filter(([name]) =>
    topicDefinitions.some((topic) => code(topic.name) === name)
  )
  const existing = topicDefinitions.map(({ name, partitions, config }) => [
    ...[code(name), String(partitions)],
    `${Number(config['retention.ms']) / dayMs} days`,
    `${Number(config['max.message.bytes']) / mebibyte} MiB`
  ])
  expect(rows.map(([name, , , ...rest]) => [name, ...rest])).toEqual(existing)
})

test('headers are those of the AsyncAPI document', () => {
  const rows = rowsOf(sectionOf(page, 'What is on the topics?'))
  const told = (of: string): string[] =>
    rows.filter(([, on]) => on?.includes(of)).flatMap(([name]) => codesIn(name ?? ''))
  const { decisions, evaluations } = asyncapiMessages
  expect(told('decisions')).toEqual(Object.keys(decisions.headers.properties))
  expect(told('evaluations')).toEqual(Object.keys(evaluations.headers.properties))
})

test('fields are those of the schema', () => {
  const rows = rowsOf(sectionOf(page, 'Which fields has a decision, and which are private?'))
  const { fields } = JSON.parse(decisionContract.text) as { fields: { name: string }[] }
  expect(rows.map(([name]) => name)).toEqual(fields.map(({ name }) => code(name)))
})

test('the compatibility it promises is the one that is set', () => {
  expect(sectionOf(page, 'What may change, and how am I told?')).toContain(
    code(schemaCompatibility)
  )
})

test.each([
  ['python', 'How do I read all of it, with Python?', 'deploy/readers/read_topics.py'],
  ['sql', 'How do I query an export, with DuckDB?', 'deploy/readers/export.sql']
])('its %s is that of %s', (language, heading, file) => {
  const [block = 'nothing'] = blocksIn(sectionOf(page, heading), language)
  expect(read(file)).toContain(block)
})

describe('the rights of a reader', () => {
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
    const section = sectionOf(page, 'Which rights does a reader need?')
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

  test('are those of the version of Strimzi that the chart is for', () => {
    expect(read('deploy/helm/sluice/templates/strimzi.yaml')).toContain(user.apiVersion)
  })
})
