/** Generates docs/reference/files.md: the purpose of each file on the path of a decision. */
import { formatTable, listFiles, read } from './markdown.ts'
import type { GeneratedPage } from './markdown.ts'

const folders: readonly (readonly [heading: string, folder: string, pattern: string])[] = [
  ['From a request to Kafka: the HTTP server', 'http/', '**/*.ts'],
  ['From a request to Kafka: authentication', 'auth/', '**/*.ts'],
  ['From a request to Kafka: the ingest path', 'gateway/ingest/', '**/*.ts'],
  ['From Kafka to Postgres: the consumer path', 'consumers/', '*.ts'],
  ['From Kafka to Postgres: storage', 'consumers/storage/', '**/*.ts'],
  ['From Kafka to Postgres: evaluation', 'consumers/evaluation/', '*.ts'],
  ['Deferred decisions', 'consumers/evaluation/deferral/', '**/*.ts'],
  ['Pending runs', 'consumers/evaluation/worker/', '**/*.ts'],
  ['Webhooks', 'consumers/evaluation/webhooks/', '**/*.ts']
]

/** Returns the first sentence of the first comment in a file. */
export function purposeOf(source: string): string {
  const [, comment = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(source) ?? []
  const [paragraph = ''] = comment.split(/\n \*\n/)
  const text = paragraph.replaceAll(/\s*\n \*\s*/g, ' ').trim()
  return /^.*?[.!?](?= |$)/.exec(text)?.[0] ?? text
}

function formatFolder([heading, folder, pattern]: (typeof folders)[number]): string {
  const rows = listFiles(folder, pattern).map((name) => {
    return [`[${name}](../../${folder}${name})`, purposeOf(read(`${folder}${name}`))]
  })
  return `## ${heading}\n\n\`${folder}\`\n\n${formatTable(['file', 'purpose'], rows)}`
}

export const files: GeneratedPage = {
  path: 'docs/reference/files.md',
  parts: () => ({ files: folders.map(formatFolder).join('\n') })
}
