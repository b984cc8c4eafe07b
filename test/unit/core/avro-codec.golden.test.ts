/** Bytes of every published version, written once: today's reader decodes them for ever. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { createDecoderFactory, createEncode } from '../../../core/avro-codec.ts'
import { readWireFormat } from '../../../core/wire-format.ts'
import { decisionContract, evaluationContract } from '../../../schemas/index.ts'
import { readAvro } from '../../support/avro-reader.ts'
import { goldenDecision, goldenEvaluation, goldenSchemaId } from './golden/samples.ts'

/** When a version is added, its row joins these; no row and no file of bytes ever changes. */
const published = [
  {
    schema: 'decision.v1.avsc',
    bytes: 'decision.v1.hex',
    reader: decisionContract.schema,
    expected: goldenDecision
  },
  {
    schema: 'evaluation.v1.avsc',
    bytes: 'evaluation.v1.hex',
    reader: evaluationContract.schema,
    expected: goldenEvaluation
  }
]

function textOf(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}

function goldenBytes(file: string): Buffer {
  return Buffer.from(textOf(`golden/${file}`).replaceAll('\n', ''), 'hex')
}

describe.each(published)('$schema', ({ schema, bytes, reader, expected }) => {
  const writerText = textOf(`../../../schemas/${schema}`)
  const writer = JSON.parse(writerText) as object
  const value = goldenBytes(bytes)
  const { schemaId, payload } = readWireFormat(value)

  test("is decoded by today's reader", () => {
    expect(schemaId).toBe(goldenSchemaId)
    expect(createDecoderFactory(reader)(writer)(payload)).toEqual(expected)
  })

  test('is decoded by an independent reader', () => {
    expect(readAvro(writerText, payload)).toEqual(expected)
  })

  test('is written the same today, byte for byte', () => {
    const written = createEncode(writer)(expected, goldenSchemaId)
    expect(written.toString('hex')).toBe(value.toString('hex'))
  })
})
