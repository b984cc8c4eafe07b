/** Tests that a canceled phase leaves no process running, and that leftover processes are found by
 * their mark.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { runGroup } from '../../../support/runner/group.ts'
import type { GroupOptions } from '../../../support/runner/group.ts'
import { findLeftovers, markVariable } from '../../../support/runner/leftovers.ts'
import { waitUntil } from '../../../support/wait-until.ts'

const groupModule = new URL('../../../support/runner/group.ts', import.meta.url).href

/** A script that starts a child process for a minute, prints the child's process id, and waits. */
const parent = `
  const child = require('node:child_process').spawn('sleep', ['60'])
  console.log(child.pid)
  setInterval(() => {}, 1000)
`

function group(script: string, options: Partial<GroupOptions> = {}): GroupOptions {
  return {
    command: process.execPath,
    args: ['-e', script],
    environment: process.env,
    quiet: true,
    signal: new AbortController().signal,
    timeoutMs: 20_000,
    ...options
  }
}

describe('runGroup', () => {
  test('resolves with exit code and output', async () => {
    const result = await runGroup(group('console.log("a"); console.error("b"); process.exit(3)'))
    expect(result).toMatchObject({ code: 3, isLate: false })
    expect(result.output.split('\n').toSorted()).toEqual(['a', 'b'])
  })

  test('ends the process and its descendants when the run is cancelled', async () => {
    const mark = randomUUID()
    const environment = { ...process.env, [markVariable]: mark }
    const told = new AbortController()
    const running = runGroup(group(parent, { environment, signal: told.signal }))
    const before = await waitUntil('both processes', async () => {
      const found = await findLeftovers(mark, 0)
      return found.length === 2 && found
    })
    expect(before.map(({ command }) => command)).toContain('sleep 60')
    told.abort()
    const { code } = await running
    expect(code).toBeNull()
    expect(await findLeftovers(mark)).toEqual([])
  })

  test('ends all processes when the caller is killed', async () => {
    const mark = randomUUID()
    const program = `
      const { runGroup } = await import(${JSON.stringify(groupModule)})
      const { execPath: command, env: environment } = process
      const { signal } = new AbortController()
      const args = ['-e', process.argv[1]]
      await runGroup({ command, args, environment, signal, timeoutMs: 60000 })
    `
    const runner = spawn(process.execPath, ['--input-type=module', '-e', program, parent], {
      env: { ...process.env, [markVariable]: mark },
      stdio: 'ignore'
    })
    await waitUntil('every process', async () => {
      const found = await findLeftovers(mark, 0)
      return found.some(({ command }) => command === 'sleep 60')
    })
    runner.kill('SIGKILL')
    expect(await findLeftovers(mark)).toEqual([])
  })

  test('ends and reports a process that takes too long', async () => {
    const { isLate } = await runGroup(group('setInterval(() => {}, 1000)', { timeoutMs: 200 }))
    expect(isLate).toBe(true)
  })

  test('returns no exit code for a missing command', async () => {
    expect((await runGroup(group('', { command: 'no-such-command' }))).code).toBeNull()
  })
})
