/** Entry point of the process that keeps a stack running between test runs. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claimRunFile, startTimeOf } from '../../../stack/processes/run-file.ts'
import { keeperFile, keptFile } from './kept-stack.ts'
import type { KeptServices } from './kept-stack.ts'
import { startTestStack } from './test-stack.ts'

/** Maximum lifetime in milliseconds, after which a forgotten stack stops. */
const lifeMs = 4 * 60 * 60_000

const ended = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => ended.abort())
}
// If two of these processes start concurrently, only one gets the claim.
const claim = claimRunFile(keeperFile)
const folder = mkdtempSync(join(tmpdir(), 'sluice-test-stack-'))
try {
  const { stop, ...services } = await startTestStack({ folder, signal: ended.signal })
  const kept: KeptServices = {
    ...services,
    pid: process.pid,
    started: startTimeOf(process.pid) ?? ''
  }
  const written = `${keptFile}.${process.pid}`
  writeFileSync(written, JSON.stringify(kept), { mode: 0o600 })
  renameSync(written, keptFile)
  await new Promise((resolve) => {
    setTimeout(resolve, lifeMs)
    ended.signal.addEventListener('abort', resolve)
  })
  await stop()
} finally {
  rmSync(keptFile, { force: true })
  rmSync(folder, { recursive: true, force: true })
  claim.release()
}
process.exit(0)
