/** Saves measurements as JSON with an anonymous description of the machine. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { dirname } from 'node:path'

export interface Results {
  /** Start time in ISO 8601. */
  readonly at: string
  /** Name of the mode, for example `steady`. */
  readonly mode: string
  /** Lines of Markdown for the performance pages of docs/explanation. */
  readonly page: readonly string[]
  readonly figures: object
}

/** Content of a results file. */
export interface KeptResults extends Results {
  readonly machine: ReturnType<typeof describeMachine>
}

export function keepResults(file: string, { at, mode, page, figures }: Results): void {
  const content = { at, mode, machine: describeMachine(), page, ...figures }
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

/** Rounds numbers to three decimal places. More digits would suggest false precision. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1000) / 1000 : value
}
