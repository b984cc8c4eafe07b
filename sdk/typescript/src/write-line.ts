/** Writes a line to stderr and never throws. */
import { writeSync } from 'node:fs'

const stderr = 2

/** process.stderr is not used because it ends the process with an error when its reader is gone. */
export function writeLine(line: string): void {
  try {
    writeSync(stderr, `${line}\n`)
  } catch {
    // stderr is closed or has no reader.
  }
}
