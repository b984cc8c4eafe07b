/** Finds or builds promtool, which checks Prometheus rules. */
import { findGoProgram } from './go-program.ts'
import { isAvailable } from './run-to-end.ts'

/** Returns the path of promtool; null, after a warning, if it is missing and cannot be built. */
export async function findPromtool(): Promise<string | null> {
  if (isAvailable('promtool', '--version')) return 'promtool'
  return await findGoProgram({
    name: 'promtool',
    version: 'v0.305.0',
    source: 'github.com/prometheus/prometheus/cmd/promtool',
    flags: ['-tags', 'remove_all_sd']
  })
}
