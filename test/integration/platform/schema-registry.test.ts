/** Tests how the real registry responds to requests for missing objects and to a wrong path. */
import { expect, test } from '@jest/globals'
import { TransientError } from '../../../core/message-outcome.ts'
import { createRegistry } from '../../../platform/registry/schema-registry.ts'
import { decisionContract, subjectOf } from '../../../schemas/index.ts'
import { uniqueName } from '../../support/kafka.ts'
import { services } from '../../support/services.ts'

const unknownId = 987_654_321
const other = JSON.stringify({ type: 'record', name: 'Other', fields: [] })

function url(): string {
  return services().addresses.schemaRegistryUrl
}

test('reports a missing id, subject, schema or level with a specific code', async () => {
  const registry = createRegistry(url())
  const subject = subjectOf(uniqueName('registry'))
  expect(await registry.schemaOf(unknownId)).toBeNull()
  expect(await registry.idOf(subject, decisionContract.text)).toBeNull()
  expect(await registry.compatibilityOf(subject)).toBeNull()
  const id = await registry.register(subject, decisionContract.text)
  expect(await registry.idOf(subject, decisionContract.text)).toBe(id)
  expect(await registry.idOf(subject, other)).toBeNull()
  expect(await registry.schemaOf(id)).toEqual(decisionContract.schema)
})

test('a wrong path on the same host is transient', async () => {
  for (const path of ['/', '/apis', '/apis/ccompat/v7/nowhere', '/nowhere']) {
    const registry = createRegistry(new URL(path, url()).href)
    await expect(registry.schemaOf(unknownId)).rejects.toThrow(TransientError)
    await expect(registry.idOf('some-value', other)).rejects.toThrow(TransientError)
  }
})
