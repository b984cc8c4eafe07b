/** Tests the health check of a container. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { run } from '../../../support/run-to-end.ts'

const server = createServer(({ url }, response) => {
  response.writeHead(url === '/livez' ? 200 : 503).end(`this is ${url}`)
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void server.close())

async function isUp(port: number, ...args: string[]) {
  const env = { ...process.env, MANAGEMENT_PORT: String(port) }
  return await run(process.execPath, ['deploy/image/is-up.mjs', ...args], { env })
}

test.each([
  ['exits with 0 if the process is alive', [], { code: 0, output: 'this is /livez\n' }],
  [
    'exits with 1 and the reasons if it is not ready',
    ['/readyz'],
    { code: 1, output: 'this is /readyz\n' }
  ]
])('%s', async (_, args, ended) => {
  const { port } = server.address() as AddressInfo
  expect(await isUp(port, ...args)).toEqual(ended)
})

test('exits with 1 without a response', async () => {
  const { code, output } = await isUp(1)
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('does not answer') })
})
