/** Tests that a stream is compressed, and that its source ends when the consumer stops reading. */
import { gunzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { acceptsGzip, gzipPieces } from '../../../../../api/streams/export/export-decisions.ts'
import { waitUntil } from '../../../../support/wait-until.ts'

async function* words(count: number) {
  for (let index = 0; index < count; index++) yield `word ${index}\n`
}

test('compresses all pieces', async () => {
  const chunks: Uint8Array[] = []
  for await (const chunk of gzipPieces(words(1000))) chunks.push(chunk)
  const text = gunzipSync(Buffer.concat(chunks)).toString()
  expect(text.split('\n')).toHaveLength(1001)
})

test('fails if a piece fails', async () => {
  async function* failing() {
    yield* words(3)
    throw new Error('database unavailable')
  }
  const all = async () => {
    const taken = gzipPieces(failing())
    while (!(await taken.next()).done) continue
  }
  await expect(all()).rejects.toThrow('database unavailable')
})

test('ends the pieces when the consumer stops', async () => {
  let isOver = false
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(65_536, 1)
    } finally {
      isOver = true
    }
  }
  const taken = gzipPieces(endless())
  await taken.next()
  await taken.return(undefined)
  await waitUntil('they have ended', () => isOver)
})

test.each([
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['gzip; q=0, *', false],
  ['br', false],
  ['', false],
  [undefined, false]
])('%j: %j', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected)
})
