/** A line on stderr that can do a process no harm. */
import { writeSync } from 'node:fs'

const stderr = 2

/** Not by process.stderr: when its reader is gone, that ends the process by an error of its own. */
export function writeLine(line: string): void {
  try {
    writeSync(stderr, `${line}\n`)
  } catch {
    // Nobody is there to read it.
  }
}
