/** Tests that only the registry's own error code means that something does not exist. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { TransientError } from '../../../../core/message-outcome.ts'
import {
  createRegistry,
  UnreadableSchemaError
} from '../../../../platform/registry/schema-registry.ts'
import type { Registry } from '../../../../platform/registry/schema-registry.ts'
import { onEnd } from '../../../support/cleanup.ts'

/** Starts a registry that sends the same response to every request. */
async function registryAnswering(status: number, body: string): Promise<Registry> {
  const server = createServer((_, response) => response.writeHead(status).end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onEnd(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return createRegistry(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

const calls: [string, (registry: Registry) => Promise<unknown>][] = [
  ['schemaOf', (registry) => registry.schemaOf(9)],
  ['idOf', (registry) => registry.idOf('decisions-value', '"string"')],
  ['compatibilityOf', (registry) => registry.compatibilityOf('decisions-value')]
]

describe.each(calls)('%s', (_name, call) => {
  test.each([40401, 40402, 40403, 40408])(
    'is null if the registry responds with %i',
    async (code) => {
      const body = JSON.stringify({ error_code: code, message: 'not found' })
      expect(await call(await registryAnswering(404, body))).toBeNull()
    }
  )

  test.each([
    ['a 404 without a code', 404, '{"message":"no such route"}'],
    ['a 404 with the code 404', 404, '{"error_code":404,"message":"HTTP 404 Not Found"}'],
    ['a 404 with a page', 404, '<html>not found</html>'],
    ['an empty 404', 404, ''],
    ['a code with another status', 500, '{"error_code":40403}'],
    ['a refusal', 401, '{"error_code":40101}'],
    ['a page instead of a response', 200, '<html>welcome</html>'],
    ['an empty response', 200, 'null']
  ])('is transient: %s', async (_what, status, body) => {
    await expect(call(await registryAnswering(status, body))).rejects.toThrow(TransientError)
  })
})

test.each([
  ['schemaOf', '{"id":4}'],
  ['idOf', '{"schema":"{}"}']
])('%s does not accept an unexpected response', async (name, body) => {
  const call = calls.find(([each]) => each === name)?.[1]
  await expect(call?.(await registryAnswering(200, body))).rejects.toThrow(TransientError)
})

test('an unreachable registry is transient', async () => {
  const registry = createRegistry('http://127.0.0.1:1')
  await expect(registry.schemaOf(1)).rejects.toThrow(TransientError)
})

test('returns a schema as registered', async () => {
  const schema = { type: 'record', name: 'R', fields: [{ name: 'a', type: 'string', extra: 1 }] }
  const body = JSON.stringify({ schema: JSON.stringify(schema) })
  expect(await (await registryAnswering(200, body)).schemaOf(1)).toEqual(schema)
})

test.each([
  ['of another type', { schemaType: 'PROTOBUF', schema: 'message R {}' }],
  ['that is not JSON', { schema: '{' }],
  ['with invalid references', { schema: '{', references: [] }]
])('a schema %s is unreadable permanently', async (_what, body) => {
  const registry = await registryAnswering(200, JSON.stringify(body))
  await expect(registry.schemaOf(1)).rejects.toThrow(UnreadableSchemaError)
})
