/** Keeps what was measured as data, with the machine it was measured on and nothing that names it.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { dirname } from 'node:path'
import type { RecordCount } from './record-count.ts'
import type { Measurement } from './row.ts'
import type { TableRow } from './table.ts'

export interface Results {
  /** ISO 8601. */
  readonly at: string
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  /** One entry for each topic that was written to. */
  readonly counts: readonly ({ readonly topic: string } & RecordCount)[]
  readonly table: readonly TableRow[]
  readonly measurements: readonly Measurement[]
}

export function keepResults(file: string, { at, ...results }: Results): void {
  const content = { at, machine: describeMachine(), ...results }
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(content, rounded, 2)}\n`)
}

function describeMachine() {
  return {
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version
  }
}

/** More digits would only pretend to be known. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1000) / 1000 : value
}
