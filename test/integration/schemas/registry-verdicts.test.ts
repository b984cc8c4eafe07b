/** Tests that a real registry under FULL_TRANSITIVE agrees with the compatibility check. */
import { expect, test } from '@jest/globals'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { schemaCompatibility } from '../../../schemas/index.ts'
import { uniqueName } from '../../support/kafka.ts'
import { changing, schemaChanges } from '../../support/schema-changes.ts'
import { services } from '../../support/services.ts'

/** Bypasses the registry client, because the client validates schemas itself. */
async function postVersion(subject: string, schema: object): Promise<number> {
  const url = `${services().addresses.schemaRegistryUrl}/subjects/${subject}/versions`
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/vnd.schemaregistry.v1+json' },
    body: JSON.stringify({ schema: JSON.stringify(schema) })
  })
  await response.arrayBuffer()
  return response.status
}

test.each(schemaChanges)('$compatibility: $title', async ({ compatibility, change }) => {
  const subject = uniqueName('changing')
  const registry = createRegistry(services().addresses.schemaRegistryUrl)
  expect(await postVersion(subject, changing)).toBe(200)
  await registry.setCompatibility(subject, schemaCompatibility)
  const status = await postVersion(subject, change(changing))
  // The registry returns 409 for an incompatible schema and 422 for an invalid one.
  expect([200, 409, 422]).toContain(status)
  expect(status === 200).toBe(compatibility !== 'rejected')
})
