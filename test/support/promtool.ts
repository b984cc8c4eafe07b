/** Prometheus' own judge of rules: found, or built. */
import { findGoProgram } from './go-program.ts'
import { answers } from './run-to-end.ts'

/** Where it is; null, and a line that says so, where there is none and none can be built. */
export async function findPromtool(): Promise<string | null> {
  if (answers('promtool', '--version')) return 'promtool'
  return await findGoProgram({
    name: 'promtool',
    version: 'v0.305.0',
    source: 'github.com/prometheus/prometheus/cmd/promtool',
    flags: ['-tags', 'remove_all_sd']
  })
}
