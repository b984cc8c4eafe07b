/** Prometheus' own judge of rules: found, or built once into the cache folder. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { cacheFolder } from '../../stack/downloads.ts'
import { runWell } from './sdk/python.ts'

const version = 'v0.305.0'
const source = 'github.com/prometheus/prometheus/cmd/promtool'

function answers(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Where it is, or null when there is neither a promtool nor a Go to build it with. */
export async function findPromtool(): Promise<string | null> {
  if (answers('promtool', '--version')) return 'promtool'
  const folder = join(cacheFolder(process.env), `promtool-${version}`)
  const program = join(folder, 'promtool')
  if (existsSync(program)) return program
  if (!answers('go', 'version')) return null
  process.stderr.write(`Building promtool ${version}, once; this takes a few minutes.\n`)
  try {
    await build(folder)
    return program
  } catch (error) {
    process.stderr.write(`promtool cannot be built: ${String(error).slice(0, 400)}\n`)
    return null
  }
}

/** In a module of its own, since `go install` takes none that replaces what it depends on. */
async function build(folder: string): Promise<void> {
  mkdirSync(cacheFolder(process.env), { recursive: true })
  const made = mkdtempSync(`${folder}-`)
  try {
    const env = { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' }
    writeFileSync(join(made, 'go.mod'), 'module promtool\n')
    await runWell('go', ['get', `${source}@${version}`], { cwd: made, env })
    const flags = ['-tags', 'remove_all_sd', '-o', join(made, 'promtool')]
    await runWell('go', ['build', ...flags, source], { cwd: made, env })
    renameSync(made, folder)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}
