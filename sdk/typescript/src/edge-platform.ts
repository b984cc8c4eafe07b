/** Platform for edge hosts such as Workers, built on web APIs instead of Node modules. */
import { exchangeOverFetch } from './fetch-transport.ts'
import type { Platform } from './platform.ts'

const encoder = new TextEncoder()
/**
 * Largest ASCII code. ASCII text has one byte per character, so it is not encoded just to count
 * bytes.
 */
const asciiMax = 0x7f

interface Host {
  readonly process?: { readonly env?: Platform['environment'] }
}

export function createEdgePlatform(host: Host = globalThis): Platform {
  return {
    environment: host.process?.env ?? {},
    mayFreeze: true,
    transport: exchangeOverFetch,
    gzip,
    // eslint-disable-next-line no-console -- edge hosts have no stderr
    warn: (line) => console.warn(line),
    wallClock: Date.now,
    clock: () => performance.now(),
    random: Math.random,
    fillRandom: (bytes) => void crypto.getRandomValues(bytes),
    byteLength,
    startTimer,
    onShutdown: () => () => undefined
  }
}

function byteLength(text: string): number {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > asciiMax) return encoder.encode(text).length
  }
  return text.length
}

async function gzip(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const compressed = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))
  return new Uint8Array(await new Response(compressed).arrayBuffer())
}

/** Calls `unref` where it exists (Deno, Bun), so that the timer does not keep the process alive. */
function startTimer(run: () => void, delayMs: number, hold = false): () => void {
  const timer: unknown = setTimeout(run, delayMs)
  if (!hold) (timer as { unref?(): void }).unref?.()
  return () => clearTimeout(timer as number)
}
