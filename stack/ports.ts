/** Finds ports on the loopback address that nobody listens on. */
import { createServer } from 'node:net'
import { randomInt } from 'node:crypto'

/** Below the range from which Linux and macOS take ports for outgoing connections. */
const PORT_MIN = 20_000
const PORT_MAX = 32_000
const TRIES_MAX = 100

export async function isPortFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => resolve(true))
    })
  })
}

const given = new Set<number>()

/** A free port that this process has not given out before. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = randomInt(PORT_MIN, PORT_MAX)
    if (given.has(port) || !(await isPortFree(port))) continue
    given.add(port)
    return port
  }
  throw new Error(`no free port between ${PORT_MIN} and ${PORT_MAX} on 127.0.0.1`)
}

/** The preferred port when it is free, else any other. */
export async function preferPort(preferred: number | undefined): Promise<number> {
  if (preferred === undefined || given.has(preferred)) return await freePort()
  if (!(await isPortFree(preferred))) return await freePort()
  given.add(preferred)
  return preferred
}
