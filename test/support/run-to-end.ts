/** Other people's programs, run to their end. */
import { execFile, execFileSync } from 'node:child_process'
import type { ExecFileOptions } from 'node:child_process'

export interface Ended {
  readonly code: number
  /** Of both of its outputs. */
  readonly output: string
}

/** Whether a program is there: it answers, and well. */
export function answers(file: string, ...args: string[]): boolean {
  try {
    execFileSync(file, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs a program to its end, whatever that is. */
export function run(file: string, args: string[], options: ExecFileOptions = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const limits = { maxBuffer: 64 * 1024 * 1024, encoding: 'utf8' as const }
    execFile(file, args, { ...options, ...limits }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, output: `${stdout}${stderr}` })
    })
  })
}

/** @throws with what the program printed, unless it ended well. */
export async function runWell(
  file: string,
  args: string[],
  options: ExecFileOptions = {}
): Promise<string> {
  const { code, output } = await run(file, args, options)
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}:\n${output}`)
  return output
}
