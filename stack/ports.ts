/** Finds free ports on the loopback address. */
import { createServer } from 'node:net'
import { randomInt } from 'node:crypto'

/** Lowest port to try. The range is below the ephemeral ports of Linux and macOS. */
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

const assigned = new Set<number>()

/** Returns a free port that this process has not returned before. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const port = randomInt(PORT_MIN, PORT_MAX)
    if (assigned.has(port) || !(await isPortFree(port))) continue
    assigned.add(port)
    return port
  }
  throw new Error(`no free port between ${PORT_MIN} and ${PORT_MAX} on 127.0.0.1`)
}

/** Returns the preferred port if it is free, otherwise another free port. */
export async function preferPort(preferred: number | undefined): Promise<number> {
  if (preferred === undefined || assigned.has(preferred)) return await freePort()
  if (!(await isPortFree(preferred))) return await freePort()
  assigned.add(preferred)
  return preferred
}
