/** Platform for Node and compatible runtimes (Bun, Deno). */
import { randomFillSync } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { createNodeTransport } from './node-transport.ts'
import { watchNodeShutdown } from './node-shutdown.ts'
import type { Platform } from './platform.ts'
import { writeLine } from './write-line.ts'

const compress = promisify<string, Uint8Array<ArrayBuffer>>(gzip)

/** Environment variables of hosts that may freeze the process between requests. */
const freezers = ['AWS_LAMBDA_FUNCTION_NAME', 'VERCEL', 'K_SERVICE', 'FUNCTIONS_WORKER_RUNTIME']

export function createNodePlatform(): Platform {
  const { env } = process
  return {
    environment: env,
    mayFreeze: freezers.some((name) => env[name]),
    transport: createNodeTransport(),
    gzip: compress,
    warn: writeLine,
    wallClock: Date.now,
    clock: () => performance.now(),
    random: Math.random,
    fillRandom: (bytes) => void randomFillSync(bytes),
    byteLength: Buffer.byteLength,
    startTimer,
    onShutdown: watchNodeShutdown
  }
}

function startTimer(run: () => void, delayMs: number, hold = false): () => void {
  const timer = setTimeout(run, delayMs)
  if (!hold) timer.unref()
  return () => clearTimeout(timer)
}
