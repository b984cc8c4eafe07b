/** A real registry under FULL_TRANSITIVE comes to the verdicts that our check is tested for. */
import { expect, test } from '@jest/globals'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { schemaCompatibility } from '../../../schemas/index.ts'
import { uniqueName } from '../../support/kafka.ts'
import { changing, schemaChanges } from '../../support/schema-changes.ts'
import { services } from '../../support/services.ts'

/** Past our client, which has its own idea of what a schema is. */
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

test.each(schemaChanges)('$verdict: $title', async ({ verdict, change }) => {
  const subject = uniqueName('changing')
  const registry = createRegistry(services().addresses.schemaRegistryUrl)
  expect(await postVersion(subject, changing)).toBe(200)
  await registry.setCompatibility(subject, schemaCompatibility)
  const status = await postVersion(subject, change(changing))
  // 409 for what does not fit what was before, 422 for what is no schema.
  expect([200, 409, 422]).toContain(status)
  expect(status === 200).toBe(verdict !== 'refused')
})
