/** A small load for trying Sluice out: it counts what was acknowledged, and ends by itself.
 *
 * Ends with 1 unless all of it was acknowledged.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { layOut } from '../../core/lay-out.ts'
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

/** @throws with a sentence, unless it is a number within its bounds */
function numberOf(name: string, max: number): number {
  const value = Number(process.env[name])
  if (value > 0 && value <= max) return value
  throw new Error(`${name} is ${process.env[name] ?? 'not set'}: give a number up to ${max}.`)
}

/** @throws with a sentence when the file holds no key */
function keyIn(path: string): string {
  const { api_key } = JSON.parse(readFileSync(path, 'utf8')) as { readonly api_key?: string }
  if (typeof api_key === 'string') return api_key
  throw new Error(`There is no key in ${path}: sluice bootstrap wrote none.`)
}

function describe({ elapsedMs, outcomes, answerTimesMs }: LoadResult): string[] {
  const sent = [...outcomes.values()].reduce((sum, count) => sum + count, 0)
  const at = (share: number): string => {
    const index = Math.min(answerTimesMs.length - 1, Math.floor(answerTimesMs.length * share))
    return `${(answerTimesMs[index] ?? 0).toFixed(1)} ms`
  }
  return layOut([
    ['sent', `${sent} in ${(elapsedMs / 1000).toFixed(1)} s`],
    ['acknowledged', String(outcomes.get('acknowledged') ?? 0)],
    ...[...outcomes]
      .filter(([outcome]) => outcome !== 'acknowledged')
      .map(([outcome, count]) => [outcome, String(count)]),
    ['answered within', `${at(0.5)} (half), ${at(0.99)} (99 of 100)`]
  ])
}

async function main(): Promise<boolean> {
  const rate = numberOf('LOAD_RATE', rateMax)
  const seconds = numberOf('LOAD_SECONDS', secondsMax)
  const { LOAD_URL: url = '', LOAD_KEY_FILE: keyFile = '' } = process.env
  const target = { url, apiKey: keyIn(keyFile) }
  const told = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => told.abort())
  const send = async (index: number) => await postDecision(target, decisionOf(index))
  process.stdout.write(`${rate} decisions a second for ${seconds} s, to ${url}\n`)
  const result = await sendLoad({ rate, seconds, send, signal: told.signal, clock })
  process.stdout.write(`${describe(result).join('\n')}\n`)
  return result.outcomes.size === 1 && result.outcomes.has('acknowledged')
}

try {
  process.exitCode = (await main()) ? 0 : 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
