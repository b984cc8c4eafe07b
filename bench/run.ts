/** `npm run bench`: the gateway beside others, on the same bodies and the same broker. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { systemClock } from '../platform/clock.ts'
import { measure } from './measure.ts'
import type { Measurement, Row } from './row.ts'
import { gatewayRow, rows } from './rows.ts'
import { startBenchServices } from './services.ts'
import type { BenchServices } from './services.ts'
import { markdownOf, tableOf } from './table.ts'
import type { TableRow } from './table.ts'

const usage = `Usage: npm run bench -- [options]

  --seconds N       measured seconds of a round (10)
  --rounds N        rounds of each row, in turn (3)
  --connections N   connections of the load (64)
  --cpu-prof DIR    run the gateway once and keep its profile (.cpuprofile) in DIR

Prints requests/s, CPU per accepted decision, p50 and p99, and keeps them under bench/results.
Compare the ratios of one run: absolute figures follow the machine.
`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    'cpu-prof': { type: 'string' },
    help: { type: 'boolean', default: false }
  }
})
const warmUpSeconds = 3
const resultsFolder = fileURLToPath(new URL('results/', import.meta.url))

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function measureRows(services: BenchServices, measured: readonly Row[], rounds: number) {
  const measurements: Measurement[] = []
  const options = {
    connections: Number(values.connections),
    seconds: Number(values.seconds),
    warmUpSeconds
  }
  for (let round = 1; round <= rounds; round++) {
    for (const row of measured) {
      const target = await row.start(services)
      try {
        const result = await measure(row, target, options)
        measurements.push(result)
        const cpu = result.cpu_us_per_accepted.toFixed(1)
        const rate = result.requests_per_second.toFixed(0)
        say(`round ${round}/${rounds}  ${row.name}: ${rate} requests/s, ${cpu} µs each`)
      } finally {
        await target.stop()
      }
    }
  }
  return measurements
}

function keep(table: readonly TableRow[], measurements: readonly Measurement[]): void {
  mkdirSync(resultsFolder, { recursive: true })
  const at = new Date(systemClock.now()).toISOString()
  const machine = {
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version
  }
  const file = `${resultsFolder}${at.slice(0, 10)}.json`
  writeFileSync(file, `${JSON.stringify({ at, machine, table, measurements }, null, 2)}\n`)
  say(`kept as bench/results/${at.slice(0, 10)}.json`)
}

async function bench(signal: AbortSignal): Promise<void> {
  const profile = values['cpu-prof']
  const services = await startBenchServices(say, signal)
  try {
    if (profile !== undefined) {
      const flags = ['--cpu-prof', `--cpu-prof-dir=${profile}`]
      await measureRows(services, [gatewayRow('gateway, profiled', flags)], 1)
      say(`the profile is in ${profile}`)
      return
    }
    const measurements = await measureRows(services, rows, Number(values.rounds))
    const table = tableOf(measurements)
    say(`\n${markdownOf(table)}\n`)
    say(`records in the topic: ${await services.countRecords()} (warm-ups included)`)
    keep(table, measurements)
  } finally {
    await services.stop()
  }
}

if (values.help) {
  process.stdout.write(usage)
} else {
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  process.once('SIGTERM', () => stop.abort())
  await bench(stop.signal)
}
