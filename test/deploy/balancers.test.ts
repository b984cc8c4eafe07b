/** The balancers of the page: valid, and with times that keep a restart unnoticed. */
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { hasHaproxy } from '../support/balancer/haproxy.ts'
import { runWell } from '../support/run-to-end.ts'

const file = 'deploy/balancers/haproxy.cfg'
const haproxy = readFileSync(file, 'utf8')
const nginx = readFileSync('deploy/balancers/nginx.conf', 'utf8')
const page = readFileSync('docs/operations.md', 'utf8')
const server = readFileSync('http/server.ts', 'utf8')

function numberIn(text: string, expression: RegExp): number {
  const [, found = ''] = expression.exec(text) ?? []
  expect(found).not.toBe('')
  return Number(found.replace('_', ''))
}

const keepAliveSeconds = numberIn(server, /keepAliveTimeoutMs = (\d+_000)/) / 1000

test('kept connections are closed by the balancer first', () => {
  const purgeSeconds = numberIn(haproxy, /pool-purge-delay (\d+)s/)
  // Each time it takes half of those that are idle.
  expect(Math.log2(256) * purgeSeconds).toBeLessThan(keepAliveSeconds)
  expect(numberIn(nginx, /keepalive_timeout (\d+)s/)).toBeLessThan(keepAliveSeconds)
})

test('HAProxy notices within the time that the page gives it', () => {
  const betweenSeconds = numberIn(haproxy, /inter (\d+)s/)
  const falls = numberIn(haproxy, /fall (\d+)/)
  const unreadyMs = numberIn(page, /`SHUTDOWN_UNREADY_MS=(\d+)`/)
  expect(betweenSeconds * (falls + 1) * 1000).toBeLessThan(unreadyMs)
})

const hasIt = hasHaproxy()
if (!hasIt) process.stderr.write('No haproxy here: its example is not held against it.\n')
const testIfHaproxy = hasIt ? test : test.skip
testIfHaproxy('HAProxy takes its example', async () => {
  expect(await runWell('haproxy', ['-c', '-f', file])).toContain('valid')
})
