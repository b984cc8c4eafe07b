/** Workers and other hosts that have what the web has, and little of Node. */
import { exchangeOverFetch } from './fetch-transport.ts'
import type { Platform } from './platform.ts'

const encoder = new TextEncoder()
/** Where encoding a text only to count its bytes is not worth its copy. */
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
    // eslint-disable-next-line no-console -- an edge host shows nothing else
    warn: (line) => console.warn(line),
    wallClock: Date.now,
    clock: () => performance.now(),
    random: Math.random,
    fillRandom: (bytes) => void crypto.getRandomValues(bytes),
    byteLength,
    startTimer,
    watchEnd: () => () => undefined
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

/** Deno and Bun have timers like those of Node, which can let a process end. */
function startTimer(run: () => void, delayMs: number, hold = false): () => void {
  const timer: unknown = setTimeout(run, delayMs)
  if (!hold) (timer as { unref?(): void }).unref?.()
  return () => clearTimeout(timer as number)
}
