/** The process of the floor: a fixed 202 for whatever comes, on the port given as argument. */
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
// The pauses between its turns are longer than the five seconds of Node.
server.keepAliveTimeout = 300_000
server.listen(Number(process.argv[2]), '127.0.0.1')
