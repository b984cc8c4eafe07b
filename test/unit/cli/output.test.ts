/** Tests output with backpressure and closed pipes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { createOutput } from '../../../cli/output.ts'

test('waits for a slow reader', async () => {
  const taken: (() => void)[] = []
  const stream = new Writable({
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => void taken.push(done)
  })
  const output = createOutput(stream)
  let isWritten = false
  const writing = output.write('abc').then(() => (isWritten = true))
  await new Promise((resolve) => setImmediate(resolve))
  expect(isWritten).toBe(false)
  taken[0]?.()
  await writing
  expect(isWritten).toBe(true)
})

test('escapes control characters for a terminal, but not for a pipe', async () => {
  const line = '{"agent_id":"c1\u009b31m","input":"\u202e\u{e0001}é\ud83d\ude00"}\n'
  for (const isTTY of [true, false]) {
    const chunks: Buffer[] = []
    const stream = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        chunks.push(chunk)
        done()
      }
    })
    await createOutput(Object.assign(stream, { isTTY })).write(line)
    const shown = Buffer.concat(chunks).toString('utf8')
    expect(JSON.parse(shown)).toEqual(JSON.parse(line))
    expect(shown === line).toBe(!isTTY)
    expect(/[\u007f-\u009f\p{Cf}]/u.test(shown)).toBe(!isTTY)
  }
})

test('ignores further output after the reader closed the pipe', async () => {
  const gone = Object.assign(new Error('gone'), { code: 'EPIPE' })
  const stream = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => done(gone) })
  const output = createOutput(stream)
  await output.write('abc')
  expect(output.closed.aborted).toBe(true)
  await output.write('more')
})

test('finishes a command after the reader closed the pipe', async () => {
  const args = ['cli/sluice.ts', 'sizing', '--rate', '10']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const said = text(child.stderr)
  child.stdout.destroy()
  expect(await once(child, 'close')).toEqual([0, null])
  expect(await said).toBe('')
})
