/** Tests that emails are sent in the background, with retries and a bounded queue. */
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from '@jest/globals'
import { attemptsMax, createMail, emailsMax } from '../../../../platform/process/mail.ts'
import type { MailOptions } from '../../../../platform/process/mail.ts'
import { waitUntil } from '../../../support/wait-until.ts'

/** The text is encoded because the name is not ASCII. The token must still be on one line. */
const longLetter = `Zoë invites you to Acme.\n\nThe token is\n\n  ${'x'.repeat(48)}\n`
const letter = { to: 'ada@example.com', subject: 'A token', text: 'It is\n\n  slp_x\n' }
const ended: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ended.splice(0)) await end()
})

function createScene(url: string | null, from = 'Sluice <sluice@localhost>') {
  const outcomes: Record<string, number> = {}
  const told: object[] = []
  const options: MailOptions = {
    ...{ url, from, clock: { now: () => Date.UTC(2026, 0, 31) } },
    logger: { warn: (fields, message) => void told.push({ ...fields, message }) },
    metrics: {
      count: (_name, { outcome }: Record<string, string>) => {
        outcomes[outcome ?? ''] = (outcomes[outcome ?? ''] ?? 0) + 1
      }
    },
    backoff: { baseMs: 1, capMs: 1 }
  }
  return { mail: createMail(options), outcomes, told }
}

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-mail-'))
  ended.push(() => rm(folder, { recursive: true }))
  return join(folder, 'made', 'by test')
}

/** Starts a mail server that responds to RCPT with `answers` and records what it receives. */
async function startServer(answers: string[]) {
  const received: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let isData = false
    let text = ''
    socket.write('220 mail.test\r\n')
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      text += chunk.toString()
      if (isData && text.includes('\r\n.\r\n')) {
        received.push(text)
        isData = false
        text = ''
        socket.write('250 taken\r\n')
      }
      if (isData) return
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const [verb = ''] = text.split(/[\s:]/, 1)
        text = text.slice(end + 2)
        const answer = verb === 'RCPT' ? (answers.shift() ?? '250 ok') : '250 ok'
        socket.write(verb === 'DATA' ? '354 continue\r\n' : `${answer}\r\n`)
        isData = verb === 'DATA'
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  ended.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return { received, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Waits until `count` emails have a result. */
async function settled({ outcomes }: { outcomes: Record<string, number> }, count: number) {
  const sum = () => Object.values(outcomes).reduce((all, each) => all + each, 0)
  await waitUntil('emails are settled', () => sum() >= count)
}

test('is written to a file that only its owner may read', async () => {
  const folder = await createFolder()
  const scene = createScene(pathToFileURL(folder).href)
  scene.mail.send(letter)
  scene.mail.send({ ...letter, to: 'grace@example.com', text: longLetter })
  await scene.mail.close()
  const names = await readdir(folder)
  expect(names).toHaveLength(2)
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const toAda = texts.find((text) => text.includes('To: ada@example.com')) ?? ''
  expect(toAda).toContain('From: Sluice <sluice@localhost>')
  expect(toAda).toContain('Subject: A token')
  expect(toAda).toContain('\n  slp_x\n')
  const toGrace = texts.find((text) => text.includes('To: grace@example.com')) ?? ''
  expect(toGrace).toContain(`\n  ${'x'.repeat(48)}\n`)
  for (const name of names) {
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  }
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  expect(scene.outcomes).toEqual({ sent: 2 })
})

test('is sent to a mail server, again if that fails temporarily', async () => {
  const server = await startServer(['451 later', '250 ok'])
  const scene = createScene(server.url)
  scene.mail.send(letter)
  await settled(scene, 1)
  expect(scene.outcomes).toEqual({ sent: 1 })
  expect(server.received).toHaveLength(1)
  expect(server.received[0]).toContain('slp_x')
})

test('is not retried after a permanent error, and the log has no address', async () => {
  const answers = ['550 no such ada@example.com']
  const server = await startServer(answers)
  const scene = createScene(server.url)
  scene.mail.send(letter)
  await settled(scene, 1)
  expect(scene.outcomes).toEqual({ failed: 1 })
  expect(scene.told).toMatchObject([{ status: 550, attempts: 1 }])
  expect(JSON.stringify(scene.told)).not.toContain('ada')
})

test('is given up after a few attempts', async () => {
  const server = await startServer(Array.from({ length: 9 }, () => '451 later'))
  const scene = createScene(server.url)
  scene.mail.send(letter)
  await settled(scene, 1)
  expect(scene.outcomes).toEqual({ failed: 1 })
  expect(scene.told).toMatchObject([{ attempts: attemptsMax }])
})

test('is not sent without MAIL_URL, which is logged once', async () => {
  const scene = createScene(null)
  scene.mail.send(letter)
  scene.mail.send(letter)
  await scene.mail.close()
  expect(scene.outcomes).toEqual({ not_configured: 2 })
  expect(scene.told).toHaveLength(1)
})

test('waits in a bounded queue', async () => {
  const folder = await createFolder()
  const scene = createScene(pathToFileURL(folder).href)
  for (let count = 0; count < emailsMax + 3; count++) scene.mail.send(letter)
  expect(scene.outcomes).toEqual({ dropped: 3 })
  await scene.mail.close()
  expect(scene.outcomes).toEqual({ dropped: 3, sent: emailsMax })
})

test.each([
  'ada@example.com\r\nBcc: eve@example.com',
  'ada@example.com, eve@example.com',
  '"eve@example.com" <ada@example.com>'
])('has no other recipient for the address %j', async (to) => {
  const server = await startServer([])
  const scene = createScene(server.url)
  scene.mail.send({ ...letter, to, subject: 'A\r\nBcc: eve@example.com\r\n\r\nB' })
  await settled(scene, 1)
  const [headers = ''] = (server.received[0] ?? '').split('\r\n\r\n')
  expect(headers).not.toMatch(/^bcc:/im)
})
