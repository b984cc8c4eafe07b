/** Server of the row `floor`: responds to every request with the same 202. */
import { createServer } from 'node:http'

const body = '{"decision_id":"01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55","queued":true}'
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(body)
}

const server = createServer((request, response) => {
  request.on('data', () => {})
  request.on('end', () => response.writeHead(202, headers).end(body))
})
// Pauses between measurements exceed Node's default of five seconds.
server.keepAliveTimeout = 300_000
server.listen(Number(process.argv[2]), '127.0.0.1')
