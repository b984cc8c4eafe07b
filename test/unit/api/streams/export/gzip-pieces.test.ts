/** A compressed body: whole, broken where its pieces break, and ended where nobody takes more. */
import { gunzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { acceptsGzip, gzipPieces } from '../../../../../api/streams/export/gzip-pieces.ts'
import { waitUntil } from '../../../../support/wait-until.ts'

async function* words(count: number) {
  for (let index = 0; index < count; index++) yield `word ${index}\n`
}

test('holds all pieces', async () => {
  const chunks: Uint8Array[] = []
  for await (const chunk of gzipPieces(words(1000))) chunks.push(chunk)
  const text = gunzipSync(Buffer.concat(chunks)).toString()
  expect(text.split('\n')).toHaveLength(1001)
})

test('fails where a piece fails', async () => {
  async function* failing() {
    yield* words(3)
    throw new Error('the store is gone')
  }
  const all = async () => {
    const taken = gzipPieces(failing())
    while (!(await taken.next()).done) continue
  }
  await expect(all()).rejects.toThrow('the store is gone')
})

test('ends the pieces when nobody takes more', async () => {
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
