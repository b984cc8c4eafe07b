/** Tests the choice of application ports: requested, default or free. */
import { expect, test } from '@jest/globals'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { chooseApplicationPorts } from '../../../../stack/processes/application-ports.ts'
import { freePort, isPortFree, preferPort } from '../../../../stack/ports.ts'

async function aBusyPort(): Promise<{ port: number; close: () => void }> {
  const server = createServer()
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}

test('rejects a requested port that is in use and names its variable', async () => {
  const { port, close } = await aBusyPort()
  const choice = chooseApplicationPorts({ GATEWAY_PORT: String(port) })
  await expect(choice).rejects.toThrow(`Port ${port} is in use: set GATEWAY_PORT to another port.`)
  close()
})

test('uses requested ports that are free, without a note', async () => {
  const [gateway, management] = [await freePort(), await freePort()]
  const { ports, notes } = await chooseApplicationPorts({
    GATEWAY_PORT: String(gateway),
    MANAGEMENT_PORT: String(management)
  })
  expect(ports.gateway).toBe(gateway)
  expect(ports.management.gateway).toBe(management)
  expect(notes).toEqual([])
})

test('replaces a busy port with a free one', async () => {
  const { port, close } = await aBusyPort()
  expect(await isPortFree(port)).toBe(false)
  const other = await preferPort(port)
  expect(other).not.toBe(port)
  expect(await isPortFree(other)).toBe(true)
  close()
})

test('returns no port twice', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, freePort))
  expect(new Set(ports).size).toBe(20)
})
