/** Runs external programs until they exit. */
import { execFile, execFileSync } from 'node:child_process'
import type { ExecFileOptions } from 'node:child_process'

export interface ProgramResult {
  readonly code: number
  /** Standard output, followed by standard error. */
  readonly output: string
}

/** Checks whether a program is installed and exits with 0 for these arguments. */
export function isAvailable(file: string, ...args: string[]): boolean {
  try {
    execFileSync(file, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs a program. The exit code is -1 if the program could not start or was killed. */
export function run(
  file: string,
  args: string[],
  options: ExecFileOptions = {}
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const limits = { maxBuffer: 64 * 1024 * 1024, encoding: 'utf8' as const }
    execFile(file, args, { ...options, ...limits }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
      resolve({ code, output: `${stdout}${stderr}` })
    })
  })
}

/**
 * Runs a program.
 * @throws {Error} that contains its output, if the exit code is not 0
 */
export async function runWell(
  file: string,
  args: string[],
  options: ExecFileOptions = {}
): Promise<string> {
  const { code, output } = await run(file, args, options)
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${code}:\n${output}`)
  return output
}
