/** `--sizing`: measures the CPU time of each process at several rates, and stored bytes per
 * decision.
 */
import { shapes } from '../load/shapes.ts'
import { markdownTable } from '../report/markdown.ts'
import type { BenchResult } from '../report/bench-result.ts'
import type { Session } from '../session.ts'
import { addedBetween, markdownOfAdded, readStoredBytes } from '../system/added-bytes.ts'
import type { AddedBytes } from '../system/added-bytes.ts'
import { openPostgres } from '../system/open-postgres.ts'
import { measureLoad, parts, startWholeSystem } from '../system/whole-system.ts'
import type { LoadCost } from '../system/whole-system.ts'

const statementTimeoutMs = 120_000

/** Shape and requests per second of each step. A batch has 100 decisions. */
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

export async function runSizing({ bench, load, options, say }: Session): Promise<BenchResult> {
  const system = await startWholeSystem(bench)
  const { seconds, connections } = options
  const postgres = openPostgres(bench, { statementTimeoutMs })
  const before = await readStoredBytes(bench, postgres)
  const measured: Step[] = []
  // The first step runs twice; its first run is the warm-up.
  for (const { shape, rate } of [steps[0], ...steps]) {
    const cost = await measureLoad(system, load, { shape, rate, seconds, connections })
    const decisions_per_second = rate * shapes[shape].decisions
    const step = { sent: shape, decisions_per_second, ...cost }
    measured.push(step)
    say(`  ${cellsOf(step).join(' | ')}`)
  }
  const decisions = measured.reduce((sum, { accepted }) => sum + accepted, 0)
  const kept = addedBetween(before, await readStoredBytes(bench, postgres), decisions)
  const figures = { steps: measured.slice(1), kept }
  return { isComplete: true, page: pageOf(figures), figures }
}

function cellsOf({ sent, decisions_per_second, accepted, cpu }: Step): string[] {
  const costs = parts.map((part) => cpu[part].toFixed(1))
  return [sent, String(decisions_per_second), String(accepted), ...costs]
}

function pageOf({ steps: measured, kept }: { steps: readonly Step[]; kept: AddedBytes }): string[] {
  const heads = parts.map((part) => `${part} CPU-µs`)
  return [
    markdownTable(['sent', 'decisions/s', 'accepted', ...heads], measured.map(cellsOf), 1),
    '',
    markdownOfAdded(kept),
    '',
    `${kept.decisions} decisions of 1.2 kB with the default rule; CPU is for one decision.`
  ]
}
