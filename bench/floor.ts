/** The floor: a node:http server that reads a body, throws it away and answers a fixed 202. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const body = '{"decision_id":"01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55","queued":true}'
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(body)
}

const server = createServer((request, response) => {
  request.on('data', () => {})
  request.on('end', () => response.writeHead(202, headers).end(body))
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('SIGTERM', () => process.exit())
