/** Tests that the load balancer examples are valid, and that their timeouts hide gateway restarts
 * from clients.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { hasHaproxy } from '../support/balancer/haproxy.ts'
import { runWell } from '../support/run-to-end.ts'

const file = 'deploy/balancers/haproxy.cfg'
const haproxy = readFileSync(file, 'utf8')
const nginx = readFileSync('deploy/balancers/nginx.conf', 'utf8')
const page = readFileSync('docs/guides/operations/restart-and-upgrade.md', 'utf8')
const server = readFileSync('http/server.ts', 'utf8')

function numberIn(text: string, expression: RegExp): number {
  const [, found = ''] = expression.exec(text) ?? []
  expect(found).not.toBe('')
  return Number(found.replace('_', ''))
}

const keepAliveSeconds = numberIn(server, /keepAliveTimeoutMs = (\d+_000)/) / 1000

test('balancers close idle connections before the gateway does', () => {
  const purgeSeconds = numberIn(haproxy, /pool-purge-delay (\d+)s/)
  // HAProxy closes half of the idle connections in each purge, so closing 256 connections takes
  // about log2(256) purges.
  expect(Math.log2(256) * purgeSeconds).toBeLessThan(keepAliveSeconds)
  expect(numberIn(nginx, /keepalive_timeout (\d+)s/)).toBeLessThan(keepAliveSeconds)
})

test('HAProxy marks a gateway down within SHUTDOWN_UNREADY_MS', () => {
  const betweenSeconds = numberIn(haproxy, /inter (\d+)s/)
  const falls = numberIn(haproxy, /fall (\d+)/)
  const unreadyMs = numberIn(page, /`SHUTDOWN_UNREADY_MS=(\d+)`/)
  expect(betweenSeconds * (falls + 1) * 1000).toBeLessThan(unreadyMs)
})

const hasIt = hasHaproxy()
if (!hasIt) process.stderr.write('HAProxy is not installed: its example was not validated.\n')
const testIfHaproxy = hasIt ? test : test.skip
testIfHaproxy('HAProxy accepts its example', async () => {
  expect(await runWell('haproxy', ['-c', '-f', file])).toContain('valid')
})
