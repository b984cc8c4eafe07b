/** Tests that the chart supports all documented settings and ranges, without running Helm. */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { kafkaSettingNames } from '../../platform/kafka/kafka-security.ts'
import { topicDefinitions } from '../../schemas/index.ts'
import { read } from '../docs/pages.ts'
import { chart } from '../support/deploy/helm.ts'
import { configProperties, documentedSettings } from '../support/deploy/setting-schemas.ts'
import { mountable } from '../support/deploy/setting-schemas.ts'

type Names = readonly string[]

const schema = JSON.parse(read(`${chart}/values.schema.json`)) as {
  readonly definitions: Readonly<{
    config: { readonly properties: unknown }
    secrets: { readonly propertyNames: { readonly enum: Names } }
  }>
}
const lists = parse(read(`${chart}/files/settings.yaml`)) as Readonly<Record<string, Names>>
const names = documentedSettings.map(({ name }) => name)

function readBy(reader: string): string[] {
  return documentedSettings
    .filter(({ readers }) => readers.includes(reader))
    .map(({ name }) => name)
}

test('the values schema has exactly the documented settings, with their ranges', () => {
  expect(schema.definitions.config.properties).toEqual(configProperties())
  expect(schema.definitions.secrets.propertyNames.enum).toEqual(mountable())
})

test('accepts every setting as a plain value or as a mounted file', () => {
  const given = new Set([...Object.keys(configProperties()), ...mountable()])
  expect(names.filter((name) => !given.has(name))).toEqual([])
})

test.each(['gateway', 'consumers'])('passes %s the settings that it reads', (reader) => {
  expect(lists[reader]).toEqual(readBy(reader))
})

test('requires settings without a default', () => {
  const required = documentedSettings.filter((setting) => setting.default === '(required)')
  expect(lists['required']).toEqual(required.map(({ name }) => name))
})

describe.each([
  ['migrate', 'migrate-database'],
  ['topics', 'apply-topics'],
  ['schemas', 'register-schemas'],
  ['bootstrap', 'bootstrap'],
  ['audit', 'audit']
])('sluice %s', (command, file) => {
  const source = readFileSync(`cli/commands/${file}.ts`, 'utf8')
  test('gets the settings that it reads', () => {
    const ofKafka: Names = source.includes('kafkaSettingNames') ? kafkaSettingNames : []
    const readNames = names.filter((name) => source.includes(`'${name}'`) || ofKafka.includes(name))
    expect(lists[command]).toEqual(readNames)
  })
})

test('repeats the documented defaults in the templates', () => {
  const templates = ['_names.tpl', '_settings.tpl'].map((name) => {
    return read(`${chart}/templates/${name}`)
  })
  const found = [...templates.join('\n').matchAll(/(?:[.]|")([A-Z_]+)"? \| default "([^"]+)"/g)]
  const repeated = found.map(([, name, value]) => ({ name, value }))
  expect(repeated).toHaveLength(5)
  const documented = new Map(documentedSettings.map((each) => [each.name, each.default]))
  expect(repeated.map(({ name = '' }) => ({ name, value: documented.get(name) }))).toEqual(repeated)
})

test('uses the version of the package and the partition counts of the topics', () => {
  const { version, appVersion } = parse(read(`${chart}/Chart.yaml`)) as Record<string, string>
  const values = parse(read(`${chart}/values.yaml`)) as { partitions: number }
  const { version: packaged } = JSON.parse(read('package.json')) as { version: string }
  expect([version, appVersion]).toEqual([packaged, packaged])
  for (const { partitions } of topicDefinitions) expect(values.partitions).toBe(partitions)
})

test.each([
  ['topics.json', 'schemas/topics.json'],
  ['prometheus', 'deploy/prometheus']
])('files/%s is %s itself', (link, target) => {
  expect(existsSync(target)).toBe(true)
  expect(realpathSync(`${chart}/files/${link}`)).toBe(resolve(target))
})
