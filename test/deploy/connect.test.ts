/** The sinks for Kafka Connect: known settings, the converter of our topics, and no secret. */
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
const page = 'docs/connect.md'
const files = readdirSync(folder)
const sinks = files.map((file) => ({
  file,
  sink: JSON.parse(read(`${folder}/${file}`)) as Sink
}))

/** Fields by which a sink divides, routes or clusters what it writes. */
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

test('there is one for each store that is told of', () => {
  const told = linksIn(read(page)).flatMap(({ path }) => /deploy\/connect\/(.*)$/.exec(path) ?? [])
  expect([...new Set(told.filter((part) => !part.includes('/')))].toSorted()).toEqual(files)
})

describe.each(sinks)('$file', ({ file, sink: { name, config } }) => {
  test('has what its connector asks for, and nothing that it does not know', () => {
    const { known, required } = connectorKeys[config['connector.class'] ?? ''] ?? {}
    const strange = Object.keys(config).filter((key) => {
      return !sinkKeys.includes(key) && known?.includes(key) !== true
    })
    expect(strange).toEqual([])
    expect(Object.keys(config)).toEqual(expect.arrayContaining([...sinkKeys, ...(required ?? [])]))
    expect(Object.values(config).filter((value) => typeof value !== 'string')).toEqual([])
    expect(file).toBe(`${name.replace('sluice-', '')}-sink.json`)
  })

  test('reads topics of ours, from their beginning, as they are written', () => {
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

  test('names fields that its topics have', () => {
    const days = /days\((\w+)\)/.exec(config['iceberg.tables.default-partition-by'] ?? '')?.[1]
    const named = fieldSettings.flatMap((key) => config[key]?.split(',') ?? [])
    for (const topic of config['topics']?.split(',') ?? []) {
      const wanted = days === undefined ? named : [...named, days]
      expect(fieldsByTopic[topic]).toEqual(expect.arrayContaining(wanted))
    }
  })

  test('leaves nothing out in silence: what cannot be read goes to a topic of its own', () => {
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

  test('holds no secret, but says where it is', () => {
    const values = Object.entries(config).filter(([key]) => secret.test(key))
    for (const [key, value] of values)
      expect({ key, value }).toEqual({ key, value: expect.stringMatching(provided) })
    const mentions = Object.values(config).filter((value) => value.includes('${'))
    expect(mentions.filter((value) => !provided.test(value))).toEqual([])
  })
})

test('the page says that none was run', () => expect(read(page)).toContain('**not run**'))

test('the table for ClickHouse has a column for each field, and one that may be null', () => {
  const [table = ''] = blocksIn(sectionOf(page, 'ClickHouse'), 'sql')
  const columns = [...table.matchAll(/^  (\w+) (\w+)/gm)].map(([, name, type]) => [name, type])
  const { fields } = JSON.parse(decisionContract.text) as { fields: Field[] }
  expect(columns.map(([name]) => name)).toEqual(fields.map(({ name }) => name))
  const optional = columns.filter(([, type]) => type === 'Nullable').map(([name]) => name)
  expect(optional).toEqual(fields.filter(({ type }) => Array.isArray(type)).map(({ name }) => name))
})

test('providers of what a sink mentions are those that the page sets up', () => {
  const worker = blocksIn(sectionOf(page, 'What the workers need'), 'properties').join('\n')
  const used = sinks.flatMap(({ sink }) => Object.values(sink.config))
  const names = new Set(used.flatMap((value) => /^\$\{(\w+):/.exec(value)?.[1] ?? []))
  expect(worker).toContain(`config.providers=${[...names].toSorted().join(',')}\n`)
})
