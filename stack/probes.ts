/** Asks each service a real question in its own protocol, so that ready means it can be used. */
import { connect } from 'node:net'

const ANSWER_TIMEOUT_MS = 2_000

type Question = { host: string; port: number; send: Buffer; bytesWanted: number }

/** Sends bytes over TCP and resolves with at least the wanted number of bytes of the answer. */
async function ask({ host, port, send, bytesWanted }: Question): Promise<Buffer> {
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
      if (answer.length >= bytesWanted) settle(() => resolve(answer))
    })
    socket.on('error', (error) => settle(() => reject(error)))
    socket.on('close', () => reject(new Error('the connection was closed')))
  })
}

/** An ApiVersions request, version 0: a broker answers it only once it serves clients. */
export async function kafkaAnswers(host: string, port: number): Promise<boolean> {
  const clientId = Buffer.from('sluice-probe')
  const send = Buffer.alloc(14 + clientId.length)
  send.writeInt32BE(send.length - 4, 0)
  send.writeInt16BE(18, 4)
  send.writeInt16BE(0, 6)
  send.writeInt32BE(7, 8)
  send.writeInt16BE(clientId.length, 12)
  clientId.copy(send, 14)
  // size (4), correlation id (4), error code (2)
  const answer = await ask({ host, port, send, bytesWanted: 10 })
  return answer.readInt32BE(4) === 7 && answer.readInt16BE(8) === 0
}

/** The registry's database is open only when it can list its subjects. */
export async function registryAnswers(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/subjects`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
  await answer.arrayBuffer()
  return answer.status === 200
}

/** A server that still reads its snapshot takes the password, and answers PING with -LOADING. */
export async function redisAnswers(host: string, port: number, password: string): Promise<boolean> {
  const send = Buffer.from(`AUTH ${password}\r\nPING\r\n`)
  const ready = '+OK\r\n+PONG\r\n'
  const answer = await ask({ host, port, send, bytesWanted: ready.length })
  return answer.toString('latin1') === ready
}

/** A startup message: 'R' asks for the password, an error 57P03 means it is still starting up. */
export async function postgresAnswers(host: string, port: number): Promise<boolean> {
  const parameters = Buffer.from('user\0sluice\0database\0sluice\0\0')
  const send = Buffer.alloc(8 + parameters.length)
  send.writeInt32BE(send.length, 0)
  send.writeInt32BE(196_608, 4)
  parameters.copy(send, 8)
  const answer = await ask({ host, port, send, bytesWanted: 9 })
  return answer.toString('latin1', 0, 1) === 'R' || !answer.toString('latin1').includes('57P03')
}
