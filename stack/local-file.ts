/** `.sluice/local.json`: where the running stack is and how to get in, for scripts and people. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The names are a contract: other programs read this file. */
export type LocalFile = {
  base_url: string
  management_url: string
  storage_management_url: string
  evaluation_management_url: string
  docs_url: string
  api_key: string
  email: string
  password: string
  organization_id: string
  kafka_brokers: string
  schema_registry_url: string
  redis_url: string
  database_url: string
  /** Empty once the stack has stopped. */
  pids: Record<string, number>
}

export function readLocalFile(path: string): LocalFile | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LocalFile
  } catch {
    return null
  }
}

/** Written beside and moved into place, so that a reader never sees half of it. */
export function writeLocalFile(path: string, content: LocalFile): void {
  mkdirSync(dirname(path), { recursive: true })
  const part = `${path}.${process.pid}`
  writeFileSync(part, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  chmodSync(part, 0o600)
  renameSync(part, path)
}
