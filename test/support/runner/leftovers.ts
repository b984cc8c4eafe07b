/** Finds processes that a test run left behind, by a variable in their environment. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { waitUntil } from '../wait-until.ts'

const endingMs = 10_000
const commandLengthMax = 120

/** Environment variable that identifies the run. Every descendant process inherits it. */
export const markVariable = 'SLUICE_TEST_RUN'

type Leftover = { pid: number; command: string }

function readLinux(mark: string): Leftover[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
      if (!environment.split('\0').includes(mark)) return []
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      return [{ pid: Number(pid), command }]
    } catch {
      // The process has exited or belongs to another user.
      return []
    }
  })
}

function readElsewhere(mark: string): Leftover[] {
  const lines = execFileSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], { encoding: 'utf8' })
  return lines.split('\n').flatMap((line) => {
    const match = /^\s*(\d+) (.*)$/.exec(line)
    if (match === null || !line.includes(mark)) return []
    return [{ pid: Number(match[1]), command: match[2] ?? '' }]
  })
}

function read(mark: string): Leftover[] {
  const found = process.platform === 'linux' ? readLinux(mark) : readElsewhere(mark)
  return found
    .filter(({ pid }) => pid !== process.pid)
    .map(({ pid, command }) => ({ pid, command: command.slice(0, commandLengthMax) }))
}

/** Returns the processes of the run that are still alive after the grace period. */
export async function findLeftovers(run: string, withinMs = endingMs): Promise<Leftover[]> {
  const mark = `${markVariable}=${run}`
  let found: Leftover[] = []
  try {
    await waitUntil('every process ended', () => (found = read(mark)).length === 0, withinMs)
  } catch {
    return found
  }
  return []
}
