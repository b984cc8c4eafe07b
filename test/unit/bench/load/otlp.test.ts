/** Tests the encoding of OTLP requests. */
import { expect, test } from '@jest/globals'
import { exportLogsJson, exportLogsProtobuf } from '../../../../bench/load/otlp.ts'

test('encodes one record as the expected bytes', () => {
  const record = '09 0100000000000000 10 09 2a 04 3a 02 6869'
  const expected = Buffer.from(`0a 15 12 13 12 11 ${record}`.replaceAll(' ', ''), 'hex')
  expect(exportLogsProtobuf(['hi'], 1n)).toEqual(expected)
})

test('encodes lengths above 127 in several bytes', () => {
  const text = 'a'.repeat(300)
  const request = exportLogsProtobuf([text], 1n)
  // Tag of the bytes value, length 300 as a varint, and text.
  expect(request.includes(Buffer.concat([Buffer.from([0x3a, 0xac, 2]), Buffer.from(text)]))).toBe(
    true
  )
})

test('encodes one record per text', () => {
  const many = exportLogsProtobuf(['one', 'two'], 1n)
  expect(many.includes('one') && many.includes('two')).toBe(true)
  const json: unknown = JSON.parse(String(exportLogsJson(['{"a":1}', '2'], 5n)))
  const logRecords = ['{"a":1}', '2'].map((stringValue) => ({
    timeUnixNano: '5',
    severityNumber: 9,
    body: { stringValue }
  }))
  expect(json).toEqual({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
})
