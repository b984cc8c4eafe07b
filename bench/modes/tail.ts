/** `--tail`: measures how much CPU time many live-tail connections cost storage. */
import { logIn, startApiGateway } from '../system/api-gateway.ts'
import { familyMicroseconds } from '../system/cpu.ts'
import { markdownTable } from '../report/markdown.ts'
import { median } from '../report/median.ts'
import type { BenchResult } from '../report/bench-result.ts'
import { gateway } from '../rows/gateway.ts'
import type { Session } from '../session.ts'
import { startRow } from '../start-row.ts'
import { startStorage } from '../system/storage-lag.ts'
import type { StorageLag } from '../system/storage-lag.ts'
import { openListeners } from '../tail-listeners.ts'

const listenersCount = 200
/** Goal: maximum relative increase in storage's CPU time caused by listeners. */
const goal = 0.1

interface Turn {
  readonly listeners: number
  readonly accepted: number
  readonly storage_us: number
  readonly postgres_us: number
  /** Number of decisions received by all listeners together. */
  readonly received: number
}

export async function runTail(session: Session): Promise<BenchResult> {
  const { bench, options, say } = session
  const target = await startRow(gateway, bench)
  const storage = await startStorage(bench)
  const { url } = await startApiGateway(bench)
  const take = async (listeners: number): Promise<Turn> => {
    const token = await logIn(url)
    const opened = await openListeners({ url, token, count: listeners, signal: bench.signal })
    try {
      const turn = await measure(session, { target, storage })
      const done = { listeners, received: opened.received(), ...turn }
      say(`  ${listeners} listeners: ${cellsOf(done).join(' | ')}`)
      return done
    } finally {
      opened.close()
    }
  }
  await take(0)
  const turns: Turn[] = []
  for (let round = 0; round < options.rounds; round++) {
    // The order alternates, because the tables grow with each measurement.
    const order = round % 2 === 0 ? [0, listenersCount] : [listenersCount, 0]
    for (const listeners of order) turns.push(await take(listeners))
  }
  const figures = { rate: options.rate, seconds: options.seconds, turns, ...addedBy(turns) }
  return { isComplete: true, page: pageOf(figures), figures }
}

interface Measured {
  readonly target: Awaited<ReturnType<typeof startRow>>
  readonly storage: StorageLag
}

async function measure({ bench, options, load }: Session, { target, storage }: Measured) {
  await storage.catchUp()
  const read = () => ({
    storage: familyMicroseconds([storage.pid]),
    postgres: familyMicroseconds([bench.servicePid('postgres')])
  })
  const before = read()
  const { url, headers } = target
  const { rate, seconds, connections } = options
  const order = { url, headers, shape: gateway.shape, rate, seconds, connections }
  const { statuses } = await load.run(order)
  await storage.catchUp()
  const after = read()
  const accepted = statuses[gateway.accepted] ?? 0
  return {
    accepted,
    storage_us: (after.storage - before.storage) / accepted,
    postgres_us: (after.postgres - before.postgres) / accepted
  }
}

/** Returns the median relative increase in CPU time caused by listeners. */
function addedBy(turns: readonly Turn[]) {
  const [without, listened] = [0, listenersCount].map((count) =>
    turns.filter(({ listeners }) => listeners === count)
  )
  const added = (pick: (turn: Turn) => number): number =>
    median((without ?? []).map((turn, at) => pick(listened?.[at] ?? turn) / pick(turn) - 1))
  return {
    storage_added: added(({ storage_us }) => storage_us),
    storage_and_postgres_added: added(({ storage_us, postgres_us }) => storage_us + postgres_us)
  }
}

type Figures = ReturnType<typeof addedBy> & {
  readonly rate: number
  readonly seconds: number
  readonly turns: readonly Turn[]
}

function pageOf(figures: Figures): string[] {
  const heads = ['listeners', 'decisions', 'received', 'storage CPU-µs', 'Postgres CPU-µs']
  const percent = (part: number): string => `${(part * 100).toFixed(1)} %`
  const isMet = figures.storage_added <= goal
  return [
    markdownTable(
      heads,
      figures.turns.map((turn) => [String(turn.listeners), ...cellsOf(turn)]),
      0
    ),
    '',
    `${figures.rate} decisions/s for ${figures.seconds} s in each measurement; CPU is for ` +
      `one decision. Listeners add ${percent(figures.storage_added)} to storage (the goal of ` +
      `at most ${percent(goal)} is ${isMet ? 'met' : 'missed'}), and ` +
      `${percent(figures.storage_and_postgres_added)} to storage and Postgres together.`
  ]
}

function cellsOf({ accepted, received, storage_us, postgres_us }: Turn): string[] {
  return [accepted, received, storage_us, postgres_us].map((value) => value.toFixed(0))
}
