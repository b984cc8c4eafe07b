/** Sends a small load to try out Sluice and counts the acknowledged decisions.
 *
 * Exits with 1 unless every decision was acknowledged.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatTable } from '../../core/format-table.ts'
import { decisionOf, postDecision } from './post-decision.ts'
import { sendLoad } from './send-load.ts'
import type { LoadClock, LoadResult } from './send-load.ts'

const rateMax = 1_000
const secondsMax = 3_600

const clock: LoadClock = {
  now: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleep(ms, undefined, { signal }).catch(() => undefined)
  }
}

/**
 * Reads a number from an environment variable.
 * @throws unless it is greater than 0 and at most `max`
 */
function numberOf(name: string, max: number): number {
  const value = Number(process.env[name])
  if (value > 0 && value <= max) return value
  throw new Error(
    `${name} is ${process.env[name] ?? 'not set'}; use a number greater than 0, up to ${max}.`
  )
}

/**
 * Reads the API key from a file.
 * @throws if the file has no API key
 */
function keyIn(path: string): string {
  const { api_key } = JSON.parse(readFileSync(path, 'utf8')) as { readonly api_key?: string }
  if (typeof api_key === 'string') return api_key
  throw new Error(`${path} has no API key; check the output of sluice bootstrap.`)
}

function formatResult({ elapsedMs, outcomes, responseTimesMs }: LoadResult): string[] {
  const sent = [...outcomes.values()].reduce((sum, count) => sum + count, 0)
  const at = (share: number): string => {
    const index = Math.min(responseTimesMs.length - 1, Math.floor(responseTimesMs.length * share))
    return `${(responseTimesMs[index] ?? 0).toFixed(1)} ms`
  }
  return formatTable([
    ['sent', `${sent} in ${(elapsedMs / 1000).toFixed(1)} s`],
    ['acknowledged', String(outcomes.get('acknowledged') ?? 0)],
    ...[...outcomes]
      .filter(([outcome]) => outcome !== 'acknowledged')
      .map(([outcome, count]) => [outcome, String(count)]),
    ['response time', `${at(0.5)} (p50), ${at(0.99)} (p99)`]
  ])
}

async function main(): Promise<boolean> {
  const rate = numberOf('LOAD_RATE', rateMax)
  const seconds = numberOf('LOAD_SECONDS', secondsMax)
  const { LOAD_URL: url = '', LOAD_KEY_FILE: keyFile = '' } = process.env
  const target = { url, apiKey: keyIn(keyFile) }
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => stopping.abort())
  const send = async (index: number) => await postDecision(target, decisionOf(index))
  process.stdout.write(`${rate} decisions per second for ${seconds} s, to ${url}\n`)
  const result = await sendLoad({ rate, seconds, send, signal: stopping.signal, clock })
  process.stdout.write(`${formatResult(result).join('\n')}\n`)
  return result.outcomes.size === 1 && result.outcomes.has('acknowledged')
}

try {
  process.exitCode = (await main()) ? 0 : 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
