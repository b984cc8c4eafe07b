/** Starts a row that has to run: without it there is nothing to measure. */
import type { Bench, Row, Target } from './row.ts'

export async function startRow(row: Row, bench: Bench): Promise<Target> {
  const target = await row.start(bench)
  if ('notRun' in target) throw new Error(`${row.name} is not run: ${target.notRun}`)
  return target
}
