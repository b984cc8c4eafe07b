/** Makes room for new connections: closes some that serve nobody before there are as many as there
 *  may be. First those that never sent a whole request, and of the network that has most. */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { siteOf } from '../network-of.ts'

/** A socket as node:http keeps it: with the answer that is under way on it. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null }

export interface ConnectionLimits {
  readonly connectionsMax: number
  /** Told for each connection that is closed, or was not taken. */
  readonly onClose: () => void
}

/** From this part of the limit on, those are closed that send no request; at the limit any. */
const nearlyFull = 0.9
/** So many at once, since all have to be looked at. */
const closedPart = 0.05
/** Younger connections are closed last of those that never sent a request. */
const newMs = 1000
/** Between two looks. */
const lookMs = 100

export function makeRoomFor(server: Server, { connectionsMax, onClose }: ConnectionLimits): void {
  /** With the time at which each was opened, the oldest first. */
  const open = new Map<HttpSocket, number>()
  const used = new WeakSet<Socket>()
  const nextLookAt = { nearly: 0, full: 0 }

  function makeRoom(state: keyof typeof nextLookAt): void {
    const now = performance.now()
    if (now < nextLookAt[state]) return
    nextLookAt[state] = now + lookMs
    const idle = [...open].filter(([socket]) => (socket._httpMessage ?? null) === null)
    const unused = idle.filter(([socket]) => !used.has(socket))
    // Somebody may send one byte of a request in ten seconds; a request of now is to be read first.
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
