/** Generates the reference pages from other files: `npm run docs`.
 *
 * The pages are committed; a test compares them with the output of this program.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import asyncapi from '../schemas/asyncapi.json' with { type: 'json' }

const root = new URL('../', import.meta.url)
const dayMs = 86_400_000
const mebibyte = 1024 * 1024

/** The files of the two lines, folder by folder. */
const folders: readonly (readonly [heading: string, folder: string, pattern: string])[] = [
  ['From a request to Kafka: the HTTP server', 'http/', '**/*.ts'],
  ['From a request to Kafka: authentication', 'auth/', '**/*.ts'],
  ['From a request to Kafka: line 1', 'gateway/ingest/', '**/*.ts'],
  ['From Kafka to Postgres: line 2', 'consumers/', '*.ts'],
  ['From Kafka to Postgres: storage', 'consumers/storage/', '**/*.ts'],
  ['From Kafka to Postgres: evaluation', 'consumers/evaluation/', '*.ts'],
  ['Open runs', 'consumers/evaluation/worker/', '**/*.ts'],
  ['Webhooks', 'consumers/evaluation/webhooks/', '**/*.ts']
]

function read(path: string): string {
  return readFileSync(new URL(path, root), 'utf8')
}

function listFiles(folder: string, pattern: string): string[] {
  const names = globSync(pattern, { cwd: new URL(folder, root) })
  return names.map((name) => name.replaceAll('\\', '/')).toSorted()
}

/** Returns the first sentence of a file’s first comment. */
export function purposeOf(source: string): string {
  const [, comment = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(source) ?? []
  const [paragraph = ''] = comment.split(/\n \*\n/)
  const text = paragraph.replaceAll(/\s*\n \*\s*/g, ' ').trim()
  return /^.*?[.!?](?= |$)/.exec(text)?.[0] ?? text
}

/** Lists tables in the order of the migrations; `comment` is null for a table without one. */
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

function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |\n`)
  return `| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}\n${lines.join('')}`
}

function formatTopics(): string {
  const messages = Object.values(asyncapi.components.messages)
  const rows = Object.values(asyncapi.channels).map((channel) => {
    const message = messages.find(({ name }) => name in channel.messages)
    const { partitions, topicConfiguration: config } = channel.bindings.kafka
    const headers = Object.keys(message?.headers.properties ?? {}).map((name) => `\`${name}\``)
    const retention = `${config['retention.ms'] / dayMs} days`
    const limit = `${config['max.message.bytes'] / mebibyte} MiB`
    const key = message?.bindings.kafka.key.description ?? ''
    const about = [`\`${channel.address}\``, channel.description, key, headers.join(', ')]
    return [...about, String(partitions), retention, limit]
  })
  const head = 'topic, records, key, headers, partitions, retention, largest batch'
  return formatTable(head.split(', '), rows)
}

function formatTables(): string {
  const rows = listTables().map(({ name, file, comment }) => {
    return [`\`${name}\``, comment ?? '', `[${file}](../../schemas/postgres/${file})`]
  })
  return formatTable(['table', 'rows', 'created in'], rows)
}

function formatFolder([heading, folder, pattern]: (typeof folders)[number]): string {
  const rows = listFiles(folder, pattern).map((name) => {
    return [`[${name}](../../${folder}${name})`, purposeOf(read(`${folder}${name}`))]
  })
  return `## ${heading}\n\n\`${folder}\`\n\n${formatTable(['file', 'purpose'], rows)}`
}

/** Replaces the parts between the marks of a page. @throws if a mark is not there exactly once */
function fill(page: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((text, [name, part]) => {
    const [start, end] = [`<!-- made of ${name} -->\n`, '<!-- end -->']
    const [before = '', after = '', ...others] = text.split(start)
    const endsAt = after.indexOf(end)
    if (endsAt < 0 || others.length > 0) throw new Error(`${page} needs one mark of ${name}`)
    return `${before}${start}\n${part}\n${after.slice(endsAt)}`
  }, read(page))
}

/** Returns the text of each page by its path. */
export function makeReference(): Readonly<Record<string, string>> {
  const topics = 'docs/reference/topics-and-tables.md'
  const files = 'docs/reference/files.md'
  return {
    [topics]: fill(topics, { topics: formatTopics(), tables: formatTables() }),
    [files]: fill(files, { files: folders.map(formatFolder).join('\n') })
  }
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(makeReference())) {
    writeFileSync(new URL(path, root), text)
  }
}
