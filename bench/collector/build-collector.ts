/** Builds the OpenTelemetry Collector with the OpenTelemetry Collector Builder and caches the
 * binary.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { cacheFolder } from '../../stack/downloads.ts'
import type { Bench, NotRun } from '../row.ts'

const version = '0.155.0'
const builder = `go.opentelemetry.io/collector/cmd/builder@v${version}`
/**
 * Name of the cache folder. Change it whenever `parts` changes; otherwise a stale binary is used.
 */
const cacheName = `otel-collector-${version}-otlp-http-kafka`
const binary = 'otelcol'
const buildTimeoutMs = 900_000

const core = 'go.opentelemetry.io/collector'
const contrib = 'github.com/open-telemetry/opentelemetry-collector-contrib'

/** Builder configuration. The builder reads YAML, and JSON is a subset of YAML. */
const parts = {
  dist: { name: binary, output_path: './dist', version },
  receivers: [{ gomod: `${core}/receiver/otlpreceiver v${version}` }],
  exporters: [
    { gomod: `${core}/exporter/otlphttpexporter v${version}` },
    { gomod: `${contrib}/exporter/kafkaexporter v${version}` }
  ]
}

type Building = Pick<Bench, 'say' | 'signal' | 'environment'>

/** Resolves with the path of the binary, or with the reason why it cannot be built. */
export async function buildCollector(building: Building): Promise<{ file: string } | NotRun> {
  const { signal, environment } = building
  const folder = join(cacheFolder(environment), cacheName)
  const file = join(folder, binary)
  if (existsSync(file)) return { file }
  try {
    await promisify(execFile)('go', ['version'], { signal, env: environment })
  } catch {
    signal.throwIfAborted()
    return { notRun: 'Go is not installed; it is needed to build the Collector.' }
  }
  try {
    await build(folder, building)
    return { file }
  } catch (error) {
    signal.throwIfAborted()
    return { notRun: `The Collector cannot be built: ${(error as Error).message}` }
  }
}

/** Builds in a temporary folder and moves the complete result to `folder`. */
async function build(folder: string, building: Building): Promise<void> {
  mkdirSync(join(folder, '..'), { recursive: true })
  const work = mkdtempSync(`${folder}.part-`)
  try {
    writeFileSync(join(work, 'parts.json'), JSON.stringify(parts))
    building.say('  building the Collector (once; takes some minutes)')
    await runGo(['run', builder, '--config=parts.json'], work, building)
    if (!existsSync(folder)) renameSync(join(work, 'dist'), folder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function runGo(args: string[], cwd: string, building: Building): Promise<void> {
  const { say, environment } = building
  const signal = AbortSignal.any([building.signal, AbortSignal.timeout(buildTimeoutMs)])
  const env = { ...environment, GOFLAGS: '-mod=mod', GOWORK: 'off', CGO_ENABLED: '0' }
  const child = spawn('go', args, {
    cwd,
    env,
    signal,
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let last = ''
  const hear = (line: string): void => {
    last = line
    const step = stepOf(line)
    if (step !== null) say(`    ${step}`)
  }
  createInterface({ input: child.stdout }).on('line', hear)
  createInterface({ input: child.stderr }).on('line', hear)
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(last || `go exited with code ${code}`))
    })
  })
}

/**
 * Extracts the build step from a log line: "2026-…Z\tINFO\tbuilder/main.go:121\tCompiling" ->
 * "Compiling".
 */
export function stepOf(line: string): string | null {
  const [, level, , step] = line.split('\t')
  return level === 'INFO' && step !== undefined ? step : null
}
