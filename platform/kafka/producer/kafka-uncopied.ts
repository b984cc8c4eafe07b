/** Sends Produce requests without the copy that @platformatic/kafka makes to join the header of a
 * request with its body. The copies caused most of the full garbage collections of a gateway.
 *
 * The client gets a short number in place of the body. The socket replaces it.
 */
import { Writer } from '@platformatic/kafka'
import type { Connection as KafkaConnection } from '@platformatic/kafka'
import { produceApi } from './kafka-produce-request.ts'

export type Connection = KafkaConnection

/** Layout of a request: length 4 · API key 2 · … · number 4. The length does not count itself. */
const lengthBytes = 4
const keyFrom = 4
const numberBytes = 4

type Socket = Connection['socket']

/** The unsent bodies of each connection, by their numbers. */
const bodiesOf = new WeakMap<Socket, Map<number, Buffer>>()
let lastNumber = 0

/** Returns the payload to send in place of the body of a Produce request. */
export function uncopied({ socket }: Connection, body: Buffer): Writer {
  const bodies = bodiesOf.get(socket) ?? replaceBodies(socket)
  lastNumber = (lastNumber + 1) % 2 ** 31
  bodies.set(lastNumber, body)
  return Writer.create().appendInt32(lastNumber)
}

function replaceBodies(socket: Socket): Map<number, Buffer> {
  const bodies = new Map<number, Buffer>()
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
  bodiesOf.set(socket, bodies)
  return bodies
}
