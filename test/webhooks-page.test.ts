/** Tests the receiver code in docs/guides/webhooks.md with signed webhooks. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { newWebhookSecret, webhookHeadersOf } from '../platform/http-client/webhook-signature.ts'
import { blocksIn, read, rowsOf } from './docs/pages.ts'
import { testEvent, webhookEvents } from '../core/webhook.ts'

const page = read('docs/guides/webhooks.md')
const folder = mkdtempSync(join(tmpdir(), 'webhooks-page-'))
afterAll(() => rmSync(folder, { recursive: true }))

const toldInTypeScript = `
import { text } from 'node:stream/consumers'
const given = JSON.parse(await text(process.stdin))
console.log(isGenuine(given.secret, given.headers, given.body))
`
const toldInPython = `
import json, sys
given = json.load(sys.stdin)
print(str(is_genuine(given["secret"], given["headers"], given["body"].encode())).lower())
`

interface Given {
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function runnerOf(command: string, file: string, program: string) {
  const path = join(folder, file)
  writeFileSync(path, program)
  return (given: Given): string =>
    execFileSync(command, [path], { input: JSON.stringify(given), encoding: 'utf8' }).trim()
}

const languages = [
  ['TypeScript', process.execPath, 'verify.ts', blocksIn(page, 'ts')[0] + toldInTypeScript],
  ['Python', 'python3', 'verify.py', blocksIn(page, 'python')[0] + toldInPython]
] as const

describe.each(languages)('the code in %s', (_, command, file, program) => {
  const isGenuine = runnerOf(command, file, program)
  const secret = newWebhookSecret()
  const body = '{"text":"Grüße"}'

  function signed(sentAt = new Date(), secrets: readonly string[] = [secret]): Given {
    const headers = webhookHeadersOf({ id: 'an-id', sentAt, payload: body }, secrets)
    return { secret, body, headers }
  }

  test('accepts a signed webhook, even while the secret is rotated', () => {
    expect(isGenuine(signed())).toBe('true')
    expect(isGenuine(signed(new Date(), [newWebhookSecret(), secret]))).toBe('true')
  })

  test('rejects forged, incomplete and outdated webhooks', () => {
    const genuine = signed()
    const forged: readonly Given[] = [
      { ...genuine, body: `${body} ` },
      { ...genuine, secret: newWebhookSecret() },
      { ...genuine, headers: { ...genuine.headers, 'webhook-id': 'another' } },
      { ...genuine, headers: { ...genuine.headers, 'webhook-timestamp': 'now' } },
      { ...genuine, headers: { ...genuine.headers, 'webhook-signature': 'v1,' } },
      { ...genuine, headers: {} },
      signed(new Date(Date.now() - 400_000)),
      signed(new Date(Date.now() + 400_000))
    ]
    expect(forged.map(isGenuine)).toEqual(forged.map(() => 'false'))
  })
})

test('every event is documented, and no other', () => {
  const events = rowsOf(page).map(([event]) => event)
  const existing = [...webhookEvents, testEvent].map((event) => `\`${event}\``)
  expect(events.filter((event) => event?.includes('.'))).toEqual(existing)
})
