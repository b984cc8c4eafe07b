/** Tests that decisions are sent or reported when a Node process exits, and that the exit code is
 * kept.
 */
import { beforeEach, describe, expect, test } from '@jest/globals'
import { listen } from '../../../../support/sdk/listen.ts'
import { runProgram } from '../../../../support/sdk/run-program.ts'
import { waitUntil } from '../../../../support/wait-until.ts'

/** Time limit of each program in milliseconds. */
const soonMs = 20_000

let outputs: string[] = []
let url = ''
let isHanging = false
let requests = 0

beforeEach(async () => {
  outputs = []
  isHanging = false
  requests = 0
  url = await listen((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      requests++
      if (isHanging) return
      const { decisions } = JSON.parse(body) as { decisions: { output: string }[] }
      outputs.push(...decisions.map(({ output }) => output))
      response.writeHead(202)
      response.end(JSON.stringify({ results: decisions.map(() => ({ queued: true })) }))
    })
  })
})

function run(text: string, options: object = {}) {
  const known = { apiKey: 'slk_test_key', baseUrl: url, gzipOverBytes: 1_000_000 }
  return runProgram(text, { ...known, batchIntervalMs: 60_000, ...options })
}

const logTwo = `sluice.log({ input: 1, output: 'a' }); sluice.log({ input: 1, output: 'b' });`

describe('a process that exits normally', () => {
  test('sends waiting decisions and prints nothing', async () => {
    const ended = await run(`${logTwo} process.exitCode = 3`).ended
    expect(ended).toMatchObject({ code: 3, stdout: '', stderr: '' })
    expect(outputs).toEqual(['a', 'b'])
  })

  test('sends what other listeners log at the end, even late', async () => {
    const late = `process.once('beforeExit', async () => {
      sluice.log({ input: 1, output: 'first' })
      await new Promise((resolve) => setTimeout(resolve, 50))
      sluice.log({ input: 1, output: 'second' })
    })`
    expect(await run(late).ended).toMatchObject({ code: 0, stderr: '' })
    expect(outputs).toEqual(['first', 'second'])
  })

  test('ends even if the host logs whenever the event loop is empty', async () => {
    const text = `process.on('beforeExit', () => sluice.log({ input: 1, output: 'again' }))`
    expect(await run(text).ended).toMatchObject({ code: 0 })
  })

  test('ends after shutdownMs if the server hangs, and prints one line', async () => {
    isHanging = true
    const ended = await run(logTwo, { shutdownMs: 300 }).ended
    expect(ended).toMatchObject({ code: 0, stdout: '' })
    expect(ended.stderr).toContain(
      'sluice: 2 decisions were not sent: the process ended (exit code 0)\n'
    )
    expect(ended.ms).toBeLessThan(soonMs)
  })

  test('is not delayed by hanging requests, or if nothing is waiting', async () => {
    isHanging = true
    const options = { timeoutMs: 600_000, shutdownMs: 0 }
    const text = `${logTwo} setTimeout(() => console.log('done'), 200)`
    const ended = await run(text, { ...options, mode: 'immediate' }).ended
    expect(ended).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(ended.ms).toBeLessThan(soonMs)
    expect((await run('', { shutdownMs: 600_000 }).ended).ms).toBeLessThan(soonMs)
  })

  test('prints nothing after awaiting flush or close', async () => {
    const text = `${logTwo} console.log((await sluice.flush()).sent); await sluice.close()`
    expect(await run(text).ended).toMatchObject({ code: 0, stdout: '2\n', stderr: '' })
  })

  test('flushes several clients', async () => {
    const text = `${logTwo} const other = init({ apiKey: 'k', baseUrl: '${url}' });
      other.log({ input: 1, output: 'c' }); const third = init({ apiKey: 'k', baseUrl: '${url}' });
      await third.close()`
    expect(await run(text).ended).toMatchObject({ code: 0, stderr: '' })
    expect(outputs.toSorted()).toEqual(['a', 'b', 'c'])
  })
})

describe('a process that ends abruptly', () => {
  test("prints one line and keeps the host's output after an exception", async () => {
    const ended = await run(`${logTwo} throw new RangeError('of the host')`).ended
    expect(ended.code).toBe(1)
    expect(ended.stderr).toContain('RangeError: of the host')
    expect(ended.stderr).toContain(
      'sluice: 2 decisions were not sent: the process ended (exit code 1)'
    )
  })

  test('prints one line and keeps the exit code after process.exit', async () => {
    const ended = await run(`${logTwo} process.exit(7)`).ended
    expect(ended).toMatchObject({ code: 7, stdout: '' })
    expect(ended.stderr).toBe(
      'sluice: 2 decisions were not sent: the process ended (exit code 7)\n'
    )
  })
})

test('a closed stderr does not end the process', async () => {
  const text = `process.once('SIGUSR2', async () => {
      sluice.log({ input: 1, output: 'a' }); await sluice.flush({ timeoutMs: 200 })
      setTimeout(() => process.exit(4), 200)
    }); setInterval(() => {}, 1000); console.log('ready')`
  const program = run(text, { baseUrl: 'http://127.0.0.1:1' })
  await waitUntil('the program is ready', () => program.output.stdout !== '')
  program.ignoreStderr()
  program.signal('SIGUSR2')
  expect(await program.ended).toMatchObject({ code: 4, signal: null })
})

describe('a signal', () => {
  const waits = `${logTwo} setInterval(() => {}, 1000); console.log('ready');`

  async function signalled(text: string, options: object) {
    const program = run(text, options)
    await waitUntil('the program is ready', () => program.output.stdout !== '')
    program.signal('SIGTERM')
    return program
  }

  test('ends the process without a flush if handleSignals is off', async () => {
    const { ended } = await signalled(waits, {})
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM', stderr: '' })
    expect(outputs).toEqual([])
  })

  test('sends waiting decisions, then ends the process as usual', async () => {
    const { ended } = await signalled(waits, { handleSignals: true })
    expect(await ended).toMatchObject({ code: null, signal: 'SIGTERM', stderr: '' })
    expect(outputs).toEqual(['a', 'b'])
  })

  test("leaves the exit to the host's own listener", async () => {
    const text = `process.on('SIGTERM', () => setTimeout(() => process.exit(5), 500)); ${waits}`
    const { ended } = await signalled(text, { handleSignals: true })
    expect(await ended).toMatchObject({ code: 5, signal: null, stderr: '' })
    expect(outputs).toEqual(['a', 'b'])
  })

  test('waits up to shutdownMs, and not at all after a second signal', async () => {
    isHanging = true
    const first = await signalled(waits, { handleSignals: true, shutdownMs: 200 })
    const line = 'sluice: 2 decisions were not sent: the process ended (SIGTERM)'
    expect(await first.ended).toMatchObject({ signal: 'SIGTERM' })
    expect(first.output.stderr).toContain(line)
    const second = await signalled(waits, { handleSignals: true, shutdownMs: 600_000 })
    await waitUntil('the first signal is handled', () => requests === 2)
    second.signal('SIGTERM')
    expect(await second.ended).toMatchObject({ signal: 'SIGTERM' })
    expect(second.output.stderr).toContain(line)
  })
})
