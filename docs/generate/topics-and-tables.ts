/** Generates docs/reference/topics-and-tables.md from schemas/asyncapi.json and the migrations. */
import asyncapi from '../../schemas/asyncapi.json' with { type: 'json' }
import { code, formatTable, listFiles, read } from './markdown.ts'
import type { GeneratedPage } from './markdown.ts'

const dayMs = 86_400_000
const mebibyte = 1024 * 1024

/**
 * Lists tables in the order of their migrations. `comment` is null for a table without a comment.
 */
export function listTables(): { name: string; file: string; comment: string | null }[] {
  const files = listFiles('schemas/postgres/', '*.sql')
  const migrations = files.map((file) => ({ file, sql: read(`schemas/postgres/${file}`) }))
  const comments = migrations.flatMap(({ sql }) =>
    [...sql.matchAll(/^comment on table (\w+) is\s+'((?:[^']|'')*)';/gm)].map(
      ([, name = '', text = '']) => [name, text.replaceAll("''", "'")] as const
    )
  )
  const commentOn = new Map(comments)
  return migrations.flatMap(({ file, sql }) =>
    [...sql.matchAll(/^create table (\w+) \(/gm)].map(([, name = '']) => {
      return { name, file, comment: commentOn.get(name) ?? null }
    })
  )
}

function formatTopics(): string {
  const messages = Object.values(asyncapi.components.messages)
  const rows = Object.values(asyncapi.channels).map((channel) => {
    const message = messages.find(({ name }) => name in channel.messages)
    const { partitions, topicConfiguration: config } = channel.bindings.kafka
    const headers = Object.keys(message?.headers.properties ?? {}).map(code)
    const retention = `${config['retention.ms'] / dayMs} days`
    const limit = `${config['max.message.bytes'] / mebibyte} MiB`
    const key = message?.bindings.kafka.key.description ?? ''
    const about = [code(channel.address), channel.description, key, headers.join(', ')]
    return [...about, String(partitions), retention, limit]
  })
  const head = 'topic, records, key, headers, partitions, retention, largest batch'
  return formatTable(head.split(', '), rows)
}

function formatTables(): string {
  const rows = listTables().map(({ name, file, comment }) => {
    return [code(name), comment ?? '', `[${file}](../../schemas/postgres/${file})`]
  })
  return formatTable(['table', 'rows', 'created in'], rows)
}

export const topicsAndTables: GeneratedPage = {
  path: 'docs/reference/topics-and-tables.md',
  parts: () => ({ topics: formatTopics(), tables: formatTables() })
}
