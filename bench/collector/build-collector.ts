/** Builds the OpenTelemetry Collector with its own builder, once per user, with progress. */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { cacheFolder } from '../../stack/downloads.ts'
import type { Bench, NotRun } from '../row.ts'

const version = '0.155.0'
const builder = `go.opentelemetry.io/collector/cmd/builder@v${version}`
/** With one receiver and one exporter; another set of parts needs another name here. */
const cacheName = `otel-collector-${version}-otlp-kafka`
const binary = 'otelcol'
const buildTimeoutMs = 900_000

const receiver = 'go.opentelemetry.io/collector/receiver/otlpreceiver'
const contrib = 'github.com/open-telemetry/opentelemetry-collector-contrib'

/** The builder takes YAML, of which JSON is a part. */
const parts = {
  dist: { name: binary, output_path: './dist', version },
  receivers: [{ gomod: `${receiver} v${version}` }],
  exporters: [
    {
      gomod: `${contrib}/exporter/kafkaexporter v${version}`
    }
  ]
}

type Building = Pick<Bench, 'say' | 'signal' | 'environment'>

/** Resolves with the file to run. Whatever is missing is a reason, never a failed bench. */
export async function buildCollector(building: Building): Promise<{ file: string } | NotRun> {
  const { signal, environment } = building
  const folder = join(cacheFolder(environment), cacheName)
  const file = join(folder, binary)
  if (existsSync(file)) return { file }
  try {
    await promisify(execFile)('go', ['version'], { signal, env: environment })
  } catch {
    signal.throwIfAborted()
    return { notRun: 'Go is not installed, and the Collector is built with it.' }
  }
  try {
    await build(folder, building)
    return { file }
  } catch (error) {
    signal.throwIfAborted()
    return { notRun: `The Collector could not be built: ${(error as Error).message}` }
  }
}

/** Everything is made beside the place where it belongs and moved there when it is whole. */
async function build(folder: string, building: Building): Promise<void> {
  mkdirSync(join(folder, '..'), { recursive: true })
  const work = mkdtempSync(`${folder}.part-`)
  try {
    writeFileSync(join(work, 'parts.json'), JSON.stringify(parts))
    building.say('  the Collector is being built, once; some minutes')
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
      else reject(new Error(last || `go ended with exit code ${code}`))
    })
  })
}

/** "2026-…Z\tINFO\tbuilder/main.go:121\tCompiling" -> "Compiling" */
export function stepOf(line: string): string | null {
  const [, level, , step] = line.split('\t')
  return level === 'INFO' && step !== undefined ? step : null
}
