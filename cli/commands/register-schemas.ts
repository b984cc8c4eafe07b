/** `sluice schemas register`: registers the Avro schemas and sets their compatibility level. */
import { readConfig } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/config.ts'
import { createRegistry } from '../../platform/registry/schema-registry.ts'
import type { Registry } from '../../platform/registry/schema-registry.ts'
import {
  decisionContract,
  evaluationContract,
  schemaCompatibility,
  subjectOf
} from '../../schemas/index.ts'

export async function registerSchemas(environment: Environment, write: (line: string) => void) {
  const config = readConfig(environment, [
    'SCHEMA_REGISTRY_URL',
    'SCHEMA_REGISTRY_TLS_CA',
    'DECISIONS_TOPIC',
    'EVALUATIONS_TOPIC'
  ])
  const registry = createRegistry(config.SCHEMA_REGISTRY_URL, config.SCHEMA_REGISTRY_TLS_CA)
  write(await registerSchema(registry, config.DECISIONS_TOPIC, decisionContract.text))
  write(await registerSchema(registry, config.EVALUATIONS_TOPIC, evaluationContract.text))
}

async function registerSchema(registry: Registry, topic: string, text: string): Promise<string> {
  const subject = subjectOf(topic)
  const known = await registry.idOf(subject, text)
  const id = known ?? (await registry.register(subject, text))
  const level = await registry.compatibilityOf(subject)
  if (level !== schemaCompatibility) await registry.setCompatibility(subject, schemaCompatibility)
  const change =
    level === schemaCompatibility
      ? ''
      : `, compatibility ${level ?? 'unset'} → ${schemaCompatibility}`
  return `${known === null ? 'registered' : 'unchanged'} ${subject} id ${id}${change}`
}
