/** Tests the doctor of the TypeScript SDK against a running installation. */
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

async function runDoctor(
  apiKey: string,
  ...args: string[]
): Promise<{ output: string; code: number }> {
  const env = { SLUICE_BASE_URL: url, SLUICE_API_KEY: apiKey, NODE_NO_WARNINGS: '1' }
  const program = 'sdk/typescript/src/doctor/main.ts'
  const child = spawn(process.execPath, [program, 'doctor', ...args], { env, stdio: 'pipe' })
  const ended = new Promise<number>((resolve) => child.once('close', resolve))
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(errors).toBe('')
  expect(output).not.toContain(apiKey.slice(-20))
  return { output, code: await ended }
}

/** Returns the start of each line, which does not depend on the machine. */
function startsOf(output: string): string[] {
  return output
    .trim()
    .split('\n')
    .map((line) => line.slice(0, 12).trimEnd())
}

test('prints what the README shows and stores a decision', async () => {
  const [shown = ''] = blocksIn(sectionOf('sdk/typescript/README.md', 'Quickstart'), 'text')
  const { output, code } = await runDoctor(tenant.api_key)
  expect(startsOf(output)).toEqual(startsOf(shown))
  expect(code).toBe(0)
  const [, id = ''] = /([0-9a-f-]{36}) of agent sluice-doctor/.exec(output) ?? []
  const rows = await sluice.database.query(
    'select agent_id, output from decisions where decision_id = $1',
    [id]
  )
  expect(rows).toEqual([{ agent_id: 'sluice-doctor', output: '"It does."' }])
})

test('reports a key without the scope ingest, and how to fix it', async () => {
  const reader = await sluice.createTenant({ scopes: ['profiles:read'] })
  const { output, code } = await runDoctor(reader.api_key, '--json')
  const report = JSON.parse(output) as { ok: boolean; checks: { check: string }[] }
  expect(report.ok).toBe(false)
  expect(report.checks.find(({ check }) => check === 'scope')).toEqual({
    check: 'scope',
    state: 'failed',
    detail: expect.stringContaining('lacks the scope ingest; its scopes: profiles:read'),
    hint: 'Create an API key with the scope ingest.'
  })
  expect(code).toBe(1)
})

test('does not send an incomplete key', async () => {
  const wrong = tenant.api_key.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  const { output, code } = await runDoctor(wrong)
  expect(output).toContain('✗ key        slk_')
  expect(output).toContain('the checksum does not match')
  expect(code).toBe(1)
})
