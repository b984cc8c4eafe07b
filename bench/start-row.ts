/** Starts a row and throws if it cannot run. */
import type { Bench, BenchRow, BenchTarget } from './row.ts'

export async function startRow(row: BenchRow, bench: Bench): Promise<BenchTarget> {
  const target = await row.start(bench)
  if ('notRun' in target) throw new Error(`${row.name} was not run: ${target.notRun}`)
  return target
}
