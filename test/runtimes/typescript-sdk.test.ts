/** Tests the packed TypeScript SDK on hosts other than Node.
 *
 * Runs only on request (`npm test -- runtimes`): Bun and Deno are 100 MB each, downloaded once.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { startAcceptingGateway } from '../support/sdk/accepting-gateway.ts'
import type { AcceptingGateway } from '../support/sdk/accepting-gateway.ts'
import { findPackage } from '../support/sdk/cached-packages.ts'
import { packedPrograms, printed, sentDecisions } from '../support/sdk/packed-programs.ts'
import { installSdk } from '../support/sdk/packed-sdk.ts'

const run = promisify(execFile)
const prepareMs = 540_000
const folder = mkdtempSync(join(tmpdir(), 'sluice-runtimes-'))
let gateway: AcceptingGateway

beforeAll(async () => {
  await installSdk(folder)
  gateway = await startAcceptingGateway()
}, prepareMs)
beforeEach(() => void gateway.decisions.splice(0))
afterAll(() => {
  gateway.close()
  rmSync(folder, { recursive: true })
})

describe.each([
  ['bun@1.4.5', []],
  ['deno@2.9.6', ['run', '--allow-all', '--quiet']]
])('%s', (name, args) => {
  let program: string
  beforeAll(async () => {
    const [command = ''] = name.split('@')
    program = join(await findPackage(name), 'node_modules', '.bin', command)
  }, prepareMs)

  test.each(Object.entries(packedPrograms))('runs a %s', async (file, text) => {
    writeFileSync(join(folder, file), text)
    const env = { HOME: folder, SLUICE_API_KEY: 'slk_test_key', SLUICE_BASE_URL: gateway.url }
    const { stdout, stderr } = await run(program, [...args, file], { cwd: folder, env })
    expect({ stdout, stderr }).toEqual({ stdout: printed, stderr: '' })
    expect(gateway.decisions).toMatchObject(sentDecisions)
  })
})

interface EdgeHost {
  evaluate(code: string): Promise<unknown>
}

test('runs the edge build on a host without Node', async () => {
  const found = join(await findPackage('@edge-runtime/vm@5.0.0'), 'package.json')
  const { EdgeVM } = createRequire(found)('@edge-runtime/vm') as { EdgeVM: new () => EdgeHost }
  writeFileSync(
    join(folder, 'edge.mjs'),
    `import { init } from '@sluice/sdk'
    export async function answer(options) {
      const sluice = init({ ...options, agentId: 'edge' })
      const stream = sluice.observe(() => new Response('streamed').body)
      const text = await new Response(stream()).text()
      sluice.withContext({ sessionId: 's' }, () => sluice.log({ input: 1n, output: text }))
      const result = await sluice.flush()
      return JSON.stringify([text, result, typeof process])
    }`
  )
  const bundled = await build({
    entryPoints: [join(folder, 'edge.mjs')],
    ...{ bundle: true, write: false, format: 'iife', globalName: 'edge' },
    conditions: ['edge-light', 'worker']
  })
  const host = new EdgeVM()
  const options = JSON.stringify({ apiKey: 'slk_test_key', baseUrl: gateway.url })
  const code = `${bundled.outputFiles[0]?.text ?? ''}\nedge.answer(${options})`
  const answer = JSON.parse(String(await host.evaluate(code))) as unknown
  const result = { sent: 2, failed: 0, dropped: 0, pending: 0 }
  expect(answer).toEqual(['streamed', result, 'undefined'])
  expect(gateway.decisions).toMatchObject([
    { agent_id: 'edge', input: null, output: 'streamed' },
    { agent_id: 'edge', session_id: 's', input: 1, output: 'streamed' }
  ])
})
