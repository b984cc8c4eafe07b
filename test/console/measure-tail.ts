/** Measures the memory of the live page over an hour at 200 decisions per second, against a running
 * `npm start`. The first argument is the number of minutes.
 */
import { join } from 'node:path'
import type { CDPSession } from 'playwright-core'
import { readRunning } from '../../stack/local-file.ts'
import { launchChromium } from '../support/chromium.ts'
import { signIn } from './sign-in.ts'

const perSecond = 200
const batches = 10
/** Maximum growth in bytes after the warm-up, which fills the list with its maximum of rows. */
const growthMax = 20e6
const warmUpMinutes = 5
const minutes = Number(process.argv[2] ?? 60)

const local = readRunning(join(import.meta.dirname, '../../.sluice/local.json'))
const { base_url, api_key, console_url } = local

await using browser = await launchChromium()
const page = await browser.newPage()
await signIn(page, local, `${console_url}live`)
const session = await page.context().newCDPSession(page)
await session.send('HeapProfiler.enable')

const statuses = new Map<number, number>()
const sender = setInterval(() => void send(), 1000 / batches)
const heaps: number[] = []
for (let minute = 0; minute <= minutes; minute++) {
  const heap = await heapOf(session)
  const rows = await page.getByRole('row').count()
  heaps.push(heap)
  process.stdout.write(
    `minute ${minute}: ${(heap / 1e6).toFixed(1)} MB, ${rows} rows in the document, ` +
      `responses ${JSON.stringify(Object.fromEntries(statuses))}\n`
  )
  if (minute < minutes) await new Promise((resolve) => setTimeout(resolve, 60_000))
}
clearInterval(sender)
const growth = (heaps.at(-1) ?? 0) - (heaps[Math.min(warmUpMinutes, minutes)] ?? 0)
process.stdout.write(`growth after ${warmUpMinutes} minutes: ${(growth / 1e6).toFixed(1)} MB\n`)
if (growth > growthMax) process.exitCode = 1

async function send(): Promise<void> {
  const decision = { agent_id: 'tail', input: { question: '2+2?' }, output: '4' }
  const response = await fetch(`${base_url}/v1/ingest/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ decisions: Array(perSecond / batches).fill(decision) })
  }).catch(() => null)
  await response?.text()
  const status = response?.status ?? 0
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}

/** Returns the bytes in use after collection. */
async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage')
  const { usedSize } = await cdp.send('Runtime.getHeapUsage')
  return usedSize
}
