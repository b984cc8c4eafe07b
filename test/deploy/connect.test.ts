/** Tests that the Kafka Connect sinks use known settings and the right converter, and contain no
 * secrets.
 */
import { readdirSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { decisionContract, evaluationContract, topicDefinitions } from '../../schemas/index.ts'
import { blocksIn, linksIn, read, sectionOf } from '../docs/pages.ts'
import { connectorKeys, sinkKeys } from '../support/deploy/connector-keys.ts'

interface Sink {
  readonly name: string
  readonly config: Readonly<Record<string, string>>
}

const folder = 'deploy/connect'
const page = 'docs/guides/kafka-connect.md'
const files = readdirSync(folder)
const sinks = files.map((file) => ({
  file,
  sink: JSON.parse(read(`${folder}/${file}`)) as Sink
}))

/** Settings that take field names as values. */
const fieldSettings = ['timestampPartitionFieldName', 'clusteringPartitionFieldNames']
const provided = /^\$\{(env:[A-Z_]+|file:\/etc\/connect\/[\w./-]+:[\w.]+)\}$/
const secret = /password|secret|credential|token|keyfile|access[.]key/i

interface Field {
  readonly name: string
  readonly type: unknown
}

function fieldsOf(text: string): string[] {
  const { fields } = JSON.parse(text) as { fields: Field[] }
  return fields.map(({ name }) => name)
}

const fieldsByTopic: Readonly<Record<string, readonly string[]>> = {
  'agent-decisions': fieldsOf(decisionContract.text),
  'decision-evaluations': fieldsOf(evaluationContract.text)
}

test('there is a sink for each documented data store, and no other', () => {
  const told = linksIn(read(page)).flatMap(({ path }) => /deploy\/connect\/(.*)$/.exec(path) ?? [])
  expect([...new Set(told.filter((part) => !part.includes('/')))].toSorted()).toEqual(files)
})

describe.each(sinks)('$file', ({ file, sink: { name, config } }) => {
  test('has the required settings of its connector, and no unknown ones', () => {
    const { known, required } = connectorKeys[config['connector.class'] ?? ''] ?? {}
    const strange = Object.keys(config).filter((key) => {
      return !sinkKeys.includes(key) && known?.includes(key) !== true
    })
    expect(strange).toEqual([])
    expect(Object.keys(config)).toEqual(expect.arrayContaining([...sinkKeys, ...(required ?? [])]))
    expect(Object.values(config).filter((value) => typeof value !== 'string')).toEqual([])
    expect(file).toBe(`${name.replace('sluice-', '')}-sink.json`)
  })

  test("reads Sluice's topics from the beginning, with the Avro converter", () => {
    const topics = config['topics']?.split(',') ?? []
    const existing = topicDefinitions.map((topic) => topic.name)
    expect(existing).toEqual(expect.arrayContaining(topics))
    expect(config).toMatchObject({
      'key.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'value.converter': 'io.confluent.connect.avro.AvroConverter',
      'value.converter.value.subject.name.strategy': expect.stringMatching(/[.]TopicNameStrategy$/),
      'consumer.override.auto.offset.reset': 'earliest'
    })
    const mapped = config['topic2TableMap']?.split(',').map((pair) => pair.split(/[:=]/)[0]?.trim())
    expect(mapped ?? topics).toEqual(topics)
  })

  test('uses only fields of its topics', () => {
    const days = /days\((\w+)\)/.exec(config['iceberg.tables.default-partition-by'] ?? '')?.[1]
    const named = fieldSettings.flatMap((key) => config[key]?.split(',') ?? [])
    for (const topic of config['topics']?.split(',') ?? []) {
      const wanted = days === undefined ? named : [...named, days]
      expect(fieldsByTopic[topic]).toEqual(expect.arrayContaining(wanted))
    }
  })

  test('sends unreadable records to its own dead-letter topic', () => {
    expect(config).toMatchObject({
      'errors.tolerance': 'all',
      'errors.retry.timeout': '-1',
      'errors.deadletterqueue.topic.name': `${name}.dead-letter`,
      'errors.deadletterqueue.context.headers.enable': 'true',
      'errors.log.enable': 'true',
      'errors.log.include.messages': 'false'
    })
    expect(Number(config['errors.deadletterqueue.topic.replication.factor'])).toBe(3)
  })

  test('refers to secrets instead of containing them', () => {
    const values = Object.entries(config).filter(([key]) => secret.test(key))
    for (const [key, value] of values)
      expect({ key, value }).toEqual({ key, value: expect.stringMatching(provided) })
    const mentions = Object.values(config).filter((value) => value.includes('${'))
    expect(mentions.filter((value) => !provided.test(value))).toEqual([])
  })
})

test('the page says that the sinks have not been run', () =>
  expect(read(page)).toContain('**not run**'))

test('the ClickHouse table has a column for each field, nullable for optional ones', () => {
  const [table = ''] = blocksIn(sectionOf(page, 'ClickHouse'), 'sql')
  const columns = [...table.matchAll(/^  (\w+) (\w+)/gm)].map(([, name, type]) => [name, type])
  const { fields } = JSON.parse(decisionContract.text) as { fields: Field[] }
  expect(columns.map(([name]) => name)).toEqual(fields.map(({ name }) => name))
  const optional = columns.filter(([, type]) => type === 'Nullable').map(([name]) => name)
  expect(optional).toEqual(fields.filter(({ type }) => Array.isArray(type)).map(({ name }) => name))
})

test('the page configures every provider that a sink uses', () => {
  const worker = blocksIn(sectionOf(page, 'Prepare the workers'), 'properties').join('\n')
  const used = sinks.flatMap(({ sink }) => Object.values(sink.config))
  const names = new Set(used.flatMap((value) => /^\$\{(\w+):/.exec(value)?.[1] ?? []))
  expect(worker).toContain(`config.providers=${[...names].toSorted().join(',')}\n`)
})
