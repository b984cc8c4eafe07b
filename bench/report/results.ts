/** Keeps what was measured as data, with the machine it was measured on and nothing that names it.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { dirname } from 'node:path'

export interface Results {
  /** ISO 8601. */
  readonly at: string
  /** What was done, as in Mode. */
  readonly mode: string
  /** Lines of Markdown for docs/performance.md. */
  readonly page: readonly string[]
  readonly figures: object
}

/** As it stands in a file. */
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

/** More digits would only pretend to be known. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1000) / 1000 : value
}
