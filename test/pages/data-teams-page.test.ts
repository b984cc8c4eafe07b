/** Runs the commands of docs/guides/read-topics.md in order in one shell. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, jest, test } from '@jest/globals'
import { asyncapiMessages } from '../../cli/schemas/asyncapi-messages.ts'
import { blocksIn, read } from '../docs/pages.ts'
import { onEnd } from '../support/cleanup.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import { readAll, waitUntilConsumed } from '../support/kafka.ts'
import { hasKafkaTools, installKafkaTools } from '../support/kafka-tools.ts'
import { findReaderPython, hasKcat } from '../support/reader-tools.ts'
import { createShell } from '../support/shell.ts'

jest.setTimeout(9 * 60_000)
const python = await findReaderPython()
const canRun = hasKcat() && python !== null && hasKafkaTools()
if (!canRun) {
  process.stderr.write('No kcat, Python 3.11 or Java with Maven here: the page is not walked.\n')
}
const testIfAll = canRun ? test : test.skip

const blocks = blocksIn(read('docs/guides/read-topics.md'), 'sh')
/**
 * Commands that call this program are skipped, because the broker of the stack has no ACLs.
 * test/integration/security/reader-rights.test.ts runs them.
 */
const elsewhere = 'kafka-acls.sh'
/**
 * Install commands, which are skipped because test/support/reader-tools.ts installs the programs.
 */
const installing =
  /^python3 -m venv readers .* pip install -r deploy\/readers\/requirements[.]txt\n$/

function folderWith(programs: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-data-'))
  onEnd(async () => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(resolve('deploy'), join(folder, 'deploy'))
  mkdirSync(join(folder, 'bin'))
  for (const [name, line] of Object.entries(programs)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${line}\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }
  return folder
}

testIfAll('every command of the page works as shown', async () => {
  const folder = folderWith({ npx: `shift; exec node "${resolve('cli/sluice.mjs')}" "$@"` })
  const [sluice] = await Promise.all([createInstallation(), installKafkaTools(join(folder, 'bin'))])
  const tenant = await sluice.createTenant()
  const [gateway] = await Promise.all([
    sluice.start('gateway'),
    sluice.start('storage'),
    sluice.start('evaluation')
  ])
  const client = clientOf(gateway, tenant)
  for (const agent_id of ['refund-agent', 'other']) {
    await client.accept({ input: { question: 'May I?' }, output: 'Yes.', agent_id })
  }
  await waitUntilConsumed(sluice.groups.evaluation, sluice.topics.decisions)
  await waitUntilConsumed(sluice.groups.storageOfEvaluations, sluice.topics.evaluations)
  const { body } = await client.login(tenant.email, tenant.password)

  const shell = createShell(folder)
  const known: NodeJS.ProcessEnv = {
    ...sluice.environment,
    PATH: [join(folder, 'bin'), python ?? '', process.env['PATH']].join(':'),
    BASE_URL: gateway.url,
    TOKEN: String(body['access_token'])
  }
  const exports = Object.entries(known).map(([name, value]) => `export ${name}='${value}'\n`)
  await shell.run(exports.join(''))
  const walked: string[] = []
  for (const block of blocks) {
    if (block.includes(elsewhere) || installing.test(block)) continue
    const text = block.replaceAll(/^export (\w+)=.*$/gm, (_, name: string) => {
      return `export ${name}='${known[name]}'`
    })
    const { output, code } = await shell.run(text)
    expect({ block, output, code }).toEqual({ block, output, code: 0 })
    walked.push(output)
  }

  const said = walked.join('')
  const { DECISIONS_TOPIC: topic } = sluice.environment
  expect(said).toMatch(/^\d+ 0 \d{13} refund-agent decision_id=[\w-]{36},organization_id=/m)
  expect(said).toMatch(/^\{"partition":\d+,"offset":0,.*"agent_id":"refund-agent"/m)
  expect(said).toMatch(/^\('refund-agent', 'output_not_empty', 1, 1\.0\)$/m)
  expect(said).toMatch(/refund-agent.*│ +1 │/)
  expect(said).toMatch(new RegExp(`^data-team +${topic} +\\d+ +\\d+ +1 +[01] `, 'm'))
  const database = new DatabaseSync(join(folder, 'decisions.db'))
  expect(database.prepare('select count(*) as n from decisions').get()).toEqual({ n: 2 })
  database.close()
})

test('each record has exactly the documented headers', async () => {
  const sluice = await createInstallation()
  const tenant = await sluice.createTenant()
  const [gateway] = await Promise.all([sluice.start('gateway'), sluice.start('evaluation')])
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const headers = { authorization: `Bearer ${tenant.api_key}`, traceparent }
  const body = '{"input":1,"output":"x"}'
  const type = { 'content-type': 'application/json' }
  const answer = await fetch(`${gateway.url}/v1/ingest`, {
    ...{ method: 'POST', headers: { ...headers, ...type }, body }
  })
  expect(answer.status).toBe(202)
  await waitUntilConsumed(sluice.groups.evaluation, sluice.topics.decisions)
  const { decisions, evaluations } = sluice.topics
  const [decision] = await readAll(decisions)
  const [evaluation] = await readAll(evaluations)
  const told = (role: 'decisions' | 'evaluations'): string[] =>
    Object.keys(asyncapiMessages[role].headers.properties)
  expect(Object.keys(decision?.headers ?? {})).toEqual(told('decisions'))
  expect(Object.keys(evaluation?.headers ?? {})).toEqual(told('evaluations'))
})
