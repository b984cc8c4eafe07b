/** What a decision costs every process at several rates, and how many bytes it leaves behind. */
import { shapes } from '../load/shapes.ts'
import { markdownTable } from '../report/markdown.ts'
import type { Outcome } from '../report/outcome.ts'
import type { Session } from '../session.ts'
import { keptBetween, markdownOfKept, readLevel } from '../system/kept-bytes.ts'
import type { Kept } from '../system/kept-bytes.ts'
import { openPostgres } from '../system/open-postgres.ts'
import { measureLoad, parts, startWholeSystem } from '../system/whole-system.ts'
import type { LoadCost } from '../system/whole-system.ts'

const statementTimeoutMs = 120_000

/** Requests in a second; the batches carry a hundred decisions each. */
const steps = [
  { shape: 'decision', rate: 100 },
  { shape: 'decision', rate: 500 },
  { shape: 'decision', rate: 2000 },
  { shape: 'batch', rate: 50 }
] as const

interface Step extends LoadCost {
  readonly sent: string
  readonly decisions_per_second: number
}

export async function runSizing({ bench, load, options, say }: Session): Promise<Outcome> {
  const system = await startWholeSystem(bench)
  const { seconds, connections } = options
  const postgres = openPostgres(bench, { statementTimeoutMs })
  const before = await readLevel(bench, postgres)
  const measured: Step[] = []
  // The first is to warm up.
  for (const { shape, rate } of [steps[0], ...steps]) {
    const cost = await measureLoad(system, load, { shape, rate, seconds, connections })
    const decisions_per_second = rate * shapes[shape].decisions
    const step = { sent: shape, decisions_per_second, ...cost }
    measured.push(step)
    say(`  ${cellsOf(step).join(' | ')}`)
  }
  const decisions = measured.reduce((sum, { accepted }) => sum + accepted, 0)
  const kept = keptBetween(before, await readLevel(bench, postgres), decisions)
  const figures = { steps: measured.slice(1), kept }
  return { isComplete: true, page: pageOf(figures), figures }
}

function cellsOf({ sent, decisions_per_second, accepted, cpu }: Step): string[] {
  const costs = parts.map((part) => cpu[part].toFixed(1))
  return [sent, String(decisions_per_second), String(accepted), ...costs]
}

function pageOf({ steps: measured, kept }: { steps: readonly Step[]; kept: Kept }): string[] {
  const heads = parts.map((part) => `${part} CPU-µs`)
  return [
    markdownTable(['sent', 'decisions/s', 'accepted', ...heads], measured.map(cellsOf), 1),
    '',
    markdownOfKept(kept),
    '',
    `${kept.decisions} decisions of 1.2 kB with the default rule; CPU is for one decision.`
  ]
}
