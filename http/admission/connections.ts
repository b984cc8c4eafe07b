/** Makes room for new connections: closes idle ones when the connection limit is reached or nearly
 * reached. Connections that have never sent a request are closed first, starting with the network
 * that has the most.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { siteOf } from '../network-of.ts'

/** A socket with the response that node:http is writing to it. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null }

interface ConnectionLimits {
  readonly connectionsMax: number
  /** Called for each connection that is closed or dropped. */
  readonly onClose: () => void
}

/**
 * Fraction of the limit at which connections that have never sent a request are closed. At the
 * limit itself, any idle connection can be closed.
 */
const nearlyFull = 0.9
/**
 * Maximum number of connections that one scan closes, as a fraction of the limit. A scan visits all
 * connections, so it must close many at a time.
 */
const closedPart = 0.05
/**
 * Age in milliseconds below which a connection that has never sent a request is closed only after
 * older ones.
 */
const newMs = 1000
/** Minimum interval between two scans, in milliseconds. */
const scanIntervalMs = 100

export function makeRoomForConnections(
  server: Server,
  { connectionsMax, onClose }: ConnectionLimits
): void {
  /** Opening time of each connection, oldest first. */
  const open = new Map<HttpSocket, number>()
  const used = new WeakSet<Socket>()
  const nextScanAt = { nearly: 0, full: 0 }

  function makeRoom(state: keyof typeof nextScanAt): void {
    const now = performance.now()
    if (now < nextScanAt[state]) return
    nextScanAt[state] = now + scanIntervalMs
    const idle = [...open].filter(([socket]) => (socket._httpMessage ?? null) === null)
    const unused = idle.filter(([socket]) => !used.has(socket))
    // Includes connections that are still sending a request, because a malicious client can send
    // one byte every ten seconds. New connections get time to send a request.
    const slow = unused.filter(([, openedAt]) => openedAt <= now - newMs)
    const closed = (state === 'full' ? [slow, unused, idle] : [slow]).flatMap(largestSiteFirst)
    for (const socket of [...new Set(closed)].slice(0, Math.ceil(connectionsMax * closedPart))) {
      open.delete(socket)
      onClose()
      socket.destroy()
    }
  }

  server.on('connection', (socket: HttpSocket) => {
    if (open.size >= connectionsMax * nearlyFull) makeRoom('nearly')
    open.set(socket, performance.now())
    socket.once('close', () => open.delete(socket))
  })
  server.on('drop', () => {
    onClose()
    makeRoom('full')
  })
  server.on('request', ({ socket }) => void used.add(socket))
}

function largestSiteFirst(sockets: readonly (readonly [HttpSocket, number])[]): HttpSocket[] {
  const bySite = Map.groupBy(sockets, ([{ remoteAddress }]) => siteOf(remoteAddress ?? ''))
  const sites = [...bySite.values()].toSorted((one, other) => other.length - one.length)
  return sites.flat().map(([socket]) => socket)
}
