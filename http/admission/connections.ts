/** Makes room for new connections: closes some that serve nobody before there are as many as there
 *  may be, first of the network that has most of them. */
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

/** From this part of the limit on some are closed. */
const fullPart = 0.9
/** So many at once, since all have to be looked at. */
const closedPart = 0.05
/** Between two looks. */
const lookMs = 100

export function makeRoomFor(server: Server, { connectionsMax, onClose }: ConnectionLimits): void {
  /** The oldest first. */
  const open = new Set<HttpSocket>()
  const used = new WeakSet<Socket>()
  let nextLookAt = 0

  function makeRoom(): void {
    if (performance.now() < nextLookAt) return
    nextLookAt = performance.now() + lookMs
    const idle = [...open].filter((socket) => (socket._httpMessage ?? null) === null)
    const closed = idle.toSorted(unusedFirst(used))
    const bySite = Map.groupBy(closed, ({ remoteAddress }) => siteOf(remoteAddress ?? ''))
    const sites = [...bySite.values()].toSorted((one, other) => other.length - one.length)
    for (const socket of sites.flat().slice(0, Math.ceil(connectionsMax * closedPart))) {
      open.delete(socket)
      onClose()
      socket.destroy()
    }
  }

  server.on('connection', (socket: HttpSocket) => {
    if (open.size >= connectionsMax * fullPart) makeRoom()
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  server.on('drop', () => {
    onClose()
    makeRoom()
  })
  server.on('request', ({ socket }) => void used.add(socket))
}

/** Those that never sent a whole request, in which somebody may send one byte in ten seconds. */
function unusedFirst(used: WeakSet<Socket>) {
  const rank = (socket: Socket): number => (used.has(socket) ? 1 : 0)
  return (one: Socket, other: Socket): number => rank(one) - rank(other)
}
