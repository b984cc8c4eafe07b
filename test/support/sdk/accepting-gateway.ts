/** Runs a fake gateway that accepts and records every decision from an SDK. */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

export interface AcceptingGateway {
  readonly url: string
  /** Accepted decisions in order of arrival. */
  readonly decisions: Record<string, unknown>[]
  close(): void
}

export async function startAcceptingGateway(): Promise<AcceptingGateway> {
  const decisions: Record<string, unknown>[] = []
  async function accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(request)
    const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    const batch = JSON.parse(text.toString()) as { decisions: Record<string, unknown>[] }
    decisions.push(...batch.decisions)
    const results = batch.decisions.map(({ decision_id }) => ({ decision_id, queued: true }))
    response.writeHead(202, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ results }))
  }
  const server = createServer((request, response) => void accept(request, response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    decisions,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
