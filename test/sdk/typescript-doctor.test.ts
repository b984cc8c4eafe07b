/** The doctor of the TypeScript SDK with a whole installation: what it says, and how it ends. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, test } from '@jest/globals'
import { blocksIn, sectionOf } from '../docs/pages.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'

const prepareMs = 240_000
let sluice: Installation
let url: string
let tenant: Tenant

beforeAll(async () => {
  sluice = await createInstallation()
  tenant = await sluice.createTenant()
  const [gateway] = await Promise.all([sluice.start('gateway'), sluice.start('storage')])
  url = gateway.url
}, prepareMs)

async function ask(apiKey: string, ...args: string[]): Promise<{ said: string; code: number }> {
  const env = { SLUICE_BASE_URL: url, SLUICE_API_KEY: apiKey, NODE_NO_WARNINGS: '1' }
  const program = 'sdk/typescript/src/doctor/main.ts'
  const child = spawn(process.execPath, [program, 'doctor', ...args], { env, stdio: 'pipe' })
  const ended = new Promise<number>((resolve) => child.once('close', resolve))
  const [said, wrong] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(wrong).toBe('')
  expect(said).not.toContain(apiKey.slice(-20))
  return { said, code: await ended }
}

/** The beginnings of its lines, which are the same everywhere. */
function startsOf(said: string): string[] {
  return said
    .trim()
    .split('\n')
    .map((line) => line.slice(0, 12).trimEnd())
}

test('where all is well it says what the page shows, and a decision is stored', async () => {
  const [shown = ''] = blocksIn(
    sectionOf('sdk/typescript/README.md', 'Sluice for TypeScript'),
    'text'
  )
  const { said, code } = await ask(tenant.api_key)
  expect(startsOf(said)).toEqual(startsOf(shown))
  expect(code).toBe(0)
  const [, id = ''] = /([0-9a-f-]{36}) of sluice-doctor/.exec(said) ?? []
  const rows = await sluice.database.query(
    'select agent_id, output from decisions where decision_id = $1',
    [id]
  )
  expect(rows).toEqual([{ agent_id: 'sluice-doctor', output: '"It does."' }])
})

test('a key that may not send is told of, with what to do', async () => {
  const reader = await sluice.createTenant({ scopes: ['profiles:read'] })
  const { said, code } = await ask(reader.api_key, '--json')
  const report = JSON.parse(said) as { ok: boolean; checks: { check: string }[] }
  expect(report.ok).toBe(false)
  expect(report.checks.find(({ check }) => check === 'scope')).toEqual({
    check: 'scope',
    state: 'failed',
    detail: expect.stringContaining('may only profiles:read'),
    hint: 'Make a key with the scope ingest.'
  })
  expect(code).toBe(1)
})

test('a key that was not copied whole is not even sent', async () => {
  const wrong = tenant.api_key.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  const { said, code } = await ask(wrong)
  expect(said).toContain('✗ key        slk_')
  expect(said).toContain('its checksum is wrong')
  expect(code).toBe(1)
})
