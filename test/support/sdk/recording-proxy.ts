/** Runs a proxy between an SDK and a gateway that records request bodies. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { onEnd } from '../cleanup.ts'

interface RecordingProxy {
  readonly url: string
  /** Decompressed request bodies. */
  readonly bodies: readonly string[]
}

const passedOn = ['authorization', 'content-type', 'content-encoding']

export async function startRecordingProxy(upstream: string): Promise<RecordingProxy> {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const pass = async (): Promise<void> => {
      const body = await buffer(request)
      const isGzip = request.headers['content-encoding'] === 'gzip'
      bodies.push((isGzip ? gunzipSync(body) : body).toString('utf8'))
      const headers = passedOn.flatMap((name): [string, string][] => {
        const value = request.headers[name]
        return typeof value === 'string' ? [[name, value]] : []
      })
      const url = `${upstream}${request.url}`
      const answer = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(await answer.text())
    }
    pass().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onEnd(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}
