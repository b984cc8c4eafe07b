/** Adds the addresses and secrets of the local stack, from `.sluice/`, to the environment. */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../platform/config/config.ts'

const folder = fileURLToPath(new URL('../.sluice/', import.meta.url))

interface LocalFile {
  readonly kafka_brokers?: string | readonly string[]
  readonly schema_registry_url?: string
  readonly redis_url?: string
  readonly database_url?: string
}

/**
 * Returns the environment with the settings of the local stack. Variables that are already set take
 * precedence.
 */
export function localEnvironment(environment: Environment): Environment {
  const local = readJson<LocalFile>('local.json')
  const secrets = readJson<Record<string, string>>('secrets.json')
  const brokers = local.kafka_brokers
  const found: Record<string, string | undefined> = {
    ...secrets,
    KAFKA_BROKERS: typeof brokers === 'string' ? brokers : brokers?.join(','),
    SCHEMA_REGISTRY_URL: local.schema_registry_url,
    REDIS_URL: local.redis_url,
    DATABASE_URL: local.database_url
  }
  const known = Object.entries(found).filter(
    ([name, value]) => value && !environment[`${name}_FILE`]
  )
  return { ...Object.fromEntries(known), ...environment }
}

function readJson<T extends object>(name: string): Partial<T> {
  const file = `${folder}${name}`
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : {}
}
