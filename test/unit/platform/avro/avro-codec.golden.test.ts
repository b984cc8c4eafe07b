/** Tests that the current reader decodes the golden bytes of every published schema version. */
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { createDecoderFactory, createEncode } from '../../../../platform/avro/avro-codec.ts'
import { readWireFormat } from '../../../../core/wire-format.ts'
import { avroContracts, readAvroFiles, releasedSchemas } from '../../../../schemas/index.ts'
import { readAvro } from '../../../support/avro-reader.ts'
import { goldenSchemaId, goldenValues } from './golden/samples.ts'

const folder = new URL('golden/', import.meta.url)
const published = [...readAvroFiles()].map(([file, text]) => {
  const version = file.replace('.avsc', '')
  const [subject] = version.split('.')
  return { version, subject, file, text }
})

function goldenText(version: string): string {
  return readFileSync(new URL(`${version}.hex`, folder), 'utf8')
}

/** Returns the current reader schema of the subject, which reads all versions. */
function readerOf(subject: string | undefined): object {
  const contract = avroContracts.find(({ file }) => file.startsWith(`${subject}.`))
  if (contract === undefined) throw new Error(`schemas/index.ts has no ${subject}`)
  return contract.schema
}

test('exactly the published versions have bytes and a value', () => {
  const versions = published.map(({ version }) => version)
  const bytes = readdirSync(folder).filter((file) => file.endsWith('.hex'))
  expect(bytes.toSorted()).toEqual(versions.map((version) => `${version}.hex`))
  expect(Object.keys(goldenValues).toSorted()).toEqual(versions)
})

describe.each(published)('$version', ({ version, subject, file, text }) => {
  const expected = goldenValues[version]
  const golden = goldenText(version)
  const value = Buffer.from(golden.replaceAll('\n', ''), 'hex')
  const { schemaId, payload } = readWireFormat(value)
  const writer = JSON.parse(text) as object

  test('its bytes are the released ones', () => {
    expect(hash('sha256', golden)).toBe(releasedSchemas[file]?.golden_sha256)
  })

  test('is decoded by the current reader, which may add defaults', () => {
    expect(schemaId).toBe(goldenSchemaId)
    const decode = createDecoderFactory<object>(readerOf(subject))(writer)
    expect(decode(payload)).toMatchObject(expected ?? {})
  })

  test('is decoded by its own reader and by an independent one', () => {
    expect(createDecoderFactory(writer)(writer)(payload)).toEqual(expected)
    expect(readAvro(text, payload)).toEqual(expected)
  })

  test('is still encoded to the same bytes', () => {
    const written = createEncode(writer)(expected, goldenSchemaId)
    expect(written.toString('hex')).toBe(value.toString('hex'))
  })
})
