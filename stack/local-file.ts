/** Reads and writes `.sluice/local.json`: the addresses and credentials of the running stack. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Content of the file. The field names are a contract, because other programs read the file. */
export type LocalFile = {
  base_url: string
  management_url: string
  storage_management_url: string
  evaluation_management_url: string
  docs_url: string
  console_url: string
  api_key: string
  email: string
  password: string
  organization_id: string
  kafka_brokers: string
  schema_registry_url: string
  redis_url: string
  database_url: string
  /** Process IDs by name. Empty after the stack has stopped. */
  pids: Record<string, number>
}

export function readLocalFile(path: string): LocalFile | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LocalFile
  } catch {
    return null
  }
}

/** @throws if `npm start` is not running */
export function readRunning(path: string): LocalFile {
  const local = readLocalFile(path)
  if (local !== null && Object.keys(local.pids).length > 0) return local
  throw new Error('Sluice is not running. Run `npm start` in another terminal, and retry.')
}

/** Writes a temporary file and renames it, so that readers never see a partial file. */
export function writeLocalFile(path: string, content: LocalFile): void {
  mkdirSync(dirname(path), { recursive: true })
  const part = `${path}.${process.pid}`
  writeFileSync(part, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  chmodSync(part, 0o600)
  renameSync(part, path)
}
