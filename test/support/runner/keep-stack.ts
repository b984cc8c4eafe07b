/** The process of a kept stack: starts the services, publishes their addresses and stops them. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claimRunFile, startOf } from '../../../stack/processes/run-file.ts'
import { keeperFile, keptFile } from './kept-stack.ts'
import type { KeptServices } from './kept-stack.ts'
import { startTestStack } from './test-stack.ts'

/** A forgotten stack stops after this time. */
const lifeMs = 4 * 60 * 60_000

const ended = new AbortController()
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => ended.abort())
}
// Of two keepers that start at once, one goes on.
const claim = claimRunFile(keeperFile)
const folder = mkdtempSync(join(tmpdir(), 'sluice-test-stack-'))
try {
  const { stop, ...services } = await startTestStack({ folder, signal: ended.signal })
  const kept: KeptServices = { ...services, pid: process.pid, started: startOf(process.pid) ?? '' }
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
