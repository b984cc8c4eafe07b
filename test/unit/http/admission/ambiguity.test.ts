/** Tests that requests are rejected if two servers could parse them differently. */
import type { IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import { ambiguityOf } from '../../../../http/admission/ambiguity.ts'

interface Shape {
  readonly version?: string
  readonly hosts?: readonly string[]
  readonly encoding?: string
  readonly more?: readonly string[]
}

function detailOf({
  version = '1.1',
  hosts = ['Host'],
  encoding,
  more = []
}: Shape): string | undefined {
  const request = {
    httpVersion: version,
    headers: encoding === undefined ? {} : { 'transfer-encoding': encoding },
    rawHeaders: ['Accept', '*/*', ...[...hosts, ...more].flatMap((name) => [name, 'one'])]
  }
  return ambiguityOf(request as unknown as IncomingMessage)?.message
}

test.each<[Shape]>([
  [{}],
  [{ hosts: ['hOsT'] }],
  [{ encoding: 'chunked' }],
  [{ encoding: 'Chunked' }],
  [{ version: '1.0' }],
  [{ version: '1.0', hosts: [] }],
  [{ more: ['Authorization', 'Content-Type', 'X-Authorized', 'X-Authorized'] }]
])('accepts %j', (shape) => {
  expect(detailOf(shape)).toBeUndefined()
})

test.each<[Shape, RegExp]>([
  [{ hosts: [] }, /one Host/],
  [{ hosts: ['host', 'Host'] }, /one Host/],
  [{ version: '1.0', hosts: ['host', 'host'] }, /one Host/],
  [{ encoding: 'gzip, chunked' }, /chunked/],
  [{ encoding: 'identity' }, /chunked/],
  [{ version: '1.0', encoding: 'chunked' }, /chunked/],
  [{ more: ['authorization', 'Authorization'] }, /more than one Authorization/],
  [{ more: ['content-type', 'Content-Type'] }, /more than one Content-Type/],
  [{ version: '0.9', hosts: [] }, /HTTP\/1.1/],
  [{ version: '2.0' }, /HTTP\/1.1/]
])('rejects %j', (shape, detail) => {
  expect(detailOf(shape)).toMatch(detail)
})
