#!/usr/bin/env node
/** Runs the command line with the required Node version, even if another version runs this file. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const majorMin = 24
const pinned = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url))
const script = fileURLToPath(new URL('sluice.ts', import.meta.url))
const isNewEnough = Number(process.versions.node.split('.')[0]) >= majorMin

if (!isNewEnough && !existsSync(pinned)) {
  process.stderr.write(
    `sluice needs Node ${majorMin}; this is ${process.version}. Run "npm ci" here first.\n`
  )
  process.exit(1)
}
const node = isNewEnough ? process.execPath : pinned
// kafkajs sets timers with negative delays, for which Node 24 would print a harmless warning.
const flags = ['--disable-warning=TimeoutNegativeWarning']
// Shares the compile cache with stack/bootstrap.mjs. Without the cache, compilation would take up
// half of a command's run time.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('../node_modules/.cache/node', import.meta.url)
)
const child = spawn(node, [...flags, script, ...process.argv.slice(2)], { stdio: 'inherit' })
// Forwards SIGTERM, because a supervisor signals only this process. Ignores SIGINT, because a
// terminal also sends it to the child.
process.on('SIGTERM', () => child.kill('SIGTERM'))
process.on('SIGINT', () => {})
child.on('exit', (status, signal) => {
  process.exit(status ?? 128 + (signal === null ? 1 : constants.signals[signal]))
})
