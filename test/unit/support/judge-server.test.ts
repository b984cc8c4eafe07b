/** Tests the judge server as a separate process, as other programs start it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from '@jest/globals'
import { onEnd } from '../../support/cleanup.ts'
import { waitUntil } from '../../support/wait-until.ts'

const program = new URL('../../support/judge-server.ts', import.meta.url).pathname

async function start(): Promise<string> {
  const child = spawn(process.execPath, [program, '--port', '0'], { stdio: 'pipe' })
  onEnd(async () => {
    child.kill()
    if (child.exitCode === null) await once(child, 'exit')
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return line.toString().trim()
}

async function post(url: string, body: object, headers = {}): Promise<Response> {
  const json = JSON.stringify(body)
  return await fetch(url, {
    method: 'POST',
    body: json,
    headers: { connection: 'close', ...headers }
  })
}

test('counts calls by run, changes its behaviour on request, and holds calls open', async () => {
  const baseUrl = await start()
  const control = baseUrl.replace('/v1', '/control')
  const completions = `${baseUrl}/chat/completions`
  const chat = { model: 'grader', messages: [] }
  expect((await post(completions, chat, { 'x-sluice-run': 'run-1' })).status).toBe(200)
  expect((await post(completions, { ...chat, user: 'run-2' })).status).toBe(200)
  await post(control, { behaviour: 'overloaded' })
  expect((await post(completions, chat, { 'x-sluice-run': 'run-1' })).status).toBe(503)
  expect(await (await post(control, { behaviour: 'good', held: true })).json()).toEqual({
    calls: 3,
    open: 0,
    runs: { 'run-1': 2, 'run-2': 1 }
  })
  const held = post(completions, chat)
  await waitUntil('the call to be open', async () => {
    const { open } = (await (await post(control, {})).json()) as { open: number }
    return open === 1
  })
  await post(control, { held: false })
  expect((await held).status).toBe(200)
})
