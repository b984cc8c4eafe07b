/** Program that logs decisions with the Node SDK and reports the cost. */
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { init } from '../../sdk/typescript/src/index.ts'
import type { DecisionInput } from '../../sdk/typescript/src/index.ts'
import { cpuMicroseconds } from '../system/cpu.ts'
import { median } from '../report/median.ts'
import type { EnqueueReport, HostOrder, SendReport } from './host-process.ts'

interface Wire {
  readonly input: unknown
  readonly output: string
  readonly session_id: string
  readonly domain: string
  readonly metadata: Record<string, unknown>
  readonly input_tokens: number
  readonly output_tokens: number
}

const tickMs = 20
const warmUpRounds = 5
const order = JSON.parse(process.argv[2] ?? '') as HostOrder
const wire = JSON.parse(readFileSync(order.file, 'utf8')) as Wire[]
const decisions = wire.map((one): DecisionInput => ({
  input: one.input,
  output: one.output,
  sessionId: one.session_id,
  domain: one.domain,
  metadata: one.metadata,
  inputTokens: one.input_tokens,
  outputTokens: one.output_tokens
}))

function decisionAt(index: number): DecisionInput {
  return decisions[index % decisions.length] ?? { input: null, output: '' }
}

/** Measures `log` calls in a synchronous loop, so that nothing is sent in the meantime. */
async function enqueue(): Promise<EnqueueReport> {
  const costs: number[] = []
  for (let round = -warmUpRounds; round < order.rounds; round++) {
    const client = init()
    const startedAt = performance.now()
    for (let index = 0; index < order.count; index++) client.log(decisionAt(index))
    const elapsedMs = performance.now() - startedAt
    if (round >= 0) costs.push((elapsedMs * 1000) / order.count)
    await client.close()
  }
  return { enqueue_us: median(costs) }
}

async function send(): Promise<SendReport> {
  const client = init()
  const delay = monitorEventLoopDelay({ resolution: 1 })
  await sleep(1000)
  const cpuBefore = cpuMicroseconds([process.pid])
  delay.enable()
  const startedAt = performance.now()
  for (let logged = 0; logged < order.count;) {
    const due = Math.min(order.count, ((performance.now() - startedAt) * order.rate) / 1000)
    while (logged < due) client.log(decisionAt(logged++))
    await sleep(tickMs)
  }
  delay.disable()
  const flushed = await client.flush({ timeoutMs: order.flushMs })
  const cpu = cpuMicroseconds([process.pid]) - cpuBefore
  const stats = client.stats()
  await client.close()
  return {
    loop_p99_ms: delay.percentile(99) / 1e6,
    cpu_us: cpu / order.count,
    stats: { logged: stats.logged, sent: stats.sent, dropped: { ...stats.dropped } },
    pending: flushed.pending
  }
}

const report = order.what === 'enqueue' ? await enqueue() : await send()
process.stdout.write(`${JSON.stringify(report)}\n`)
