/** Probes each service with a request in its own protocol. */
import { connect } from 'node:net'

const ANSWER_TIMEOUT_MS = 2_000

type ProbeRequest = { host: string; port: number; send: Buffer; bytesMin: number }

/** Sends bytes over TCP, and resolves once at least `bytesMin` bytes are received. */
async function exchange({ host, port, send, bytesMin }: ProbeRequest): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    const chunks: Buffer[] = []
    const settle = (action: () => void): void => {
      socket.destroy()
      action()
    }
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => {
      settle(() => reject(new Error('no answer')))
    })
    socket.on('connect', () => socket.write(send))
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      const answer = Buffer.concat(chunks)
      if (answer.length >= bytesMin) settle(() => resolve(answer))
    })
    socket.on('error', (error) => settle(() => reject(error)))
    socket.on('close', () => reject(new Error('the connection was closed')))
  })
}

/**
 * Sends an ApiVersions request (version 0). A broker responds only when it is ready to serve
 * clients.
 */
export async function kafkaAnswers(host: string, port: number): Promise<boolean> {
  const clientId = Buffer.from('sluice-probe')
  const send = Buffer.alloc(14 + clientId.length)
  send.writeInt32BE(send.length - 4, 0)
  send.writeInt16BE(18, 4)
  send.writeInt16BE(0, 6)
  send.writeInt32BE(7, 8)
  send.writeInt16BE(clientId.length, 12)
  clientId.copy(send, 14)
  // Response: size (4 bytes), correlation ID (4), error code (2).
  const answer = await exchange({ host, port, send, bytesMin: 10 })
  return answer.readInt32BE(4) === 7 && answer.readInt16BE(8) === 0
}

/** Lists subjects, because the registry can do so only when its database is open. */
export async function registryAnswers(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/subjects`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
  await answer.arrayBuffer()
  return answer.status === 200
}

/**
 * Sends AUTH and PING. A server that is loading its snapshot accepts the password but replies
 * -LOADING to PING.
 */
export async function redisAnswers(host: string, port: number, password: string): Promise<boolean> {
  const send = Buffer.from(`AUTH ${password}\r\nPING\r\n`)
  const ready = '+OK\r\n+PONG\r\n'
  const answer = await exchange({ host, port, send, bytesMin: ready.length })
  return answer.toString('latin1') === ready
}

/**
 * Sends a startup message. The reply 'R' asks for the password. Error 57P03 means that the server
 * is still starting up.
 */
export async function postgresAnswers(host: string, port: number): Promise<boolean> {
  const parameters = Buffer.from('user\0sluice\0database\0sluice\0\0')
  const send = Buffer.alloc(8 + parameters.length)
  send.writeInt32BE(send.length, 0)
  send.writeInt32BE(196_608, 4)
  parameters.copy(send, 8)
  const answer = await exchange({ host, port, send, bytesMin: 9 })
  return answer.toString('latin1', 0, 1) === 'R' || !answer.toString('latin1').includes('57P03')
}
