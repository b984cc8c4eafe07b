/** Payloads of Produce requests: sends bodies without the copy that @platformatic/kafka makes to
 * join a body with the header of its request. These copies caused most of the full garbage
 * collections of a gateway.
 *
 * The client gets a number in place of the body, and the socket replaces the number by the body.
 * This relies on the client writing each request in one call, with the payload last.
 */
import { Writer } from '@platformatic/kafka'
import type { Connection } from '@platformatic/kafka'
import { produceApi } from './kafka-produce-request.ts'

/** Layout of a request: length 4 · API key 2 · … · number 4. The length does not count itself. */
const lengthBytes = 4
const keyFrom = 4
const numberBytes = 4

type Socket = Connection['socket']

interface Unsent {
  readonly bodies: Map<number, Buffer>
  lastNumber: number
}

/** The bodies that a socket has not sent yet, by their numbers. */
const unsentOf = new WeakMap<Socket, Unsent>()

/** Returns the payload to send in place of the body of a Produce request. */
export function createPayload({ socket }: Connection, body: Buffer): Writer {
  const unsent = unsentOf.get(socket) ?? replaceBodies(socket)
  unsent.lastNumber = (unsent.lastNumber + 1) % 2 ** 31
  unsent.bodies.set(unsent.lastNumber, body)
  return Writer.create().appendInt32(unsent.lastNumber)
}

function replaceBodies(socket: Socket): Unsent {
  const bodies = new Map<number, Buffer>()
  const unsent = { bodies, lastNumber: 0 }
  const write = socket.write.bind(socket)
  socket.write = (request: Buffer) => {
    if (request.readInt16BE(keyFrom) !== produceApi.key) return write(request)
    const headEnd = request.length - numberBytes
    const number = request.readInt32BE(headEnd)
    const body = bodies.get(number)
    if (body === undefined) throw new Error(`the Produce request ${number} has no body`)
    bodies.delete(number)
    request.writeInt32BE(headEnd - lengthBytes + body.length)
    socket.cork()
    write(request.subarray(0, headEnd))
    const canWriteMore = write(body)
    socket.uncork()
    return canWriteMore
  }
  // The client may keep a closed socket for a long time, because its timer for the next SASL
  // authentication is not cleared.
  socket.once('close', () => bodies.clear())
  unsentOf.set(socket, unsent)
  return unsent
}
