/** Records the processes of a run in a file, so that the next run can end those left over. */
import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const END_WAIT_MS = 5_000
const END_LOOK_MS = 50

export type ProcessIdentity = { pid: number; started: string }
type Entry = ProcessIdentity & { name: string }
type Content = { owner: ProcessIdentity; processes: Entry[] }

/** Thrown if a live process owns the run file. */
export class AlreadyRunningError extends Error {
  readonly pid: number
  constructor(pid: number) {
    super(`Sluice is already running here (process ${pid}); stop it first with Ctrl-C`)
    this.name = 'AlreadyRunningError'
    this.pid = pid
  }
}

/**
 * Returns the start time of a process. It distinguishes the process from a later one with the same
 * ID.
 */
export function startTimeOf(pid: number): string | null {
  try {
    if (process.platform !== 'linux') {
      const output = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
      return output.trim() || null
    }
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The process name in parentheses may contain spaces. The start time is the 20th field after
    // it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : `${boot}:${fields[19] ?? ''}`
  } catch {
    return null
  }
}

/** Checks whether the process still runs and its ID has not been reused. */
export function isAlive(identity: ProcessIdentity): boolean {
  return startTimeOf(identity.pid) === identity.started
}

function read(path: string): Content | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Content
  } catch {
    return null
  }
}

/** Returns the ID of the live process that owns the run file, or null. */
export function ownerOf(path: string): number | null {
  const content = read(path)
  return content !== null && isAlive(content.owner) ? content.owner.pid : null
}

/**
 * Waits until the processes have exited or `END_WAIT_MS` have passed. Blocks the thread, which is
 * harmless because nothing else runs this early during startup.
 */
function waitForEnd(entries: Entry[]): void {
  const deadline = performance.now() + END_WAIT_MS
  const cell = new Int32Array(new SharedArrayBuffer(4))
  while (entries.some(isAlive) && performance.now() < deadline)
    Atomics.wait(cell, 0, 0, END_LOOK_MS)
}

function endLeftovers(content: Content): string[] {
  const left = content.processes.filter(isAlive)
  for (const { pid } of left) {
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // The process exited before it received the signal.
    }
  }
  waitForEnd(left)
  return left.map((entry) => entry.name)
}

export type RunFile = {
  /** Names of processes from an earlier run that were ended. */
  leftovers: string[]
  add(name: string, pid: number): void
  drop(pid: number): void
  release(): void
}

/**
 * Creates the file atomically with its content. If several processes create it concurrently, only
 * one succeeds.
 */
function create(path: string, write: (to: string) => void): void {
  const part = `${path}.${process.pid}`
  write(part)
  try {
    linkSync(part, path)
  } catch {
    const owner = ownerOf(path)
    if (owner !== null) throw new AlreadyRunningError(owner)
    // Some file systems do not support hard links, so the file is written directly.
    write(path)
  } finally {
    rmSync(part, { force: true })
  }
}

/**
 * Makes this process the owner of the run file, and ends processes left over from an earlier run.
 * @throws {AlreadyRunningError} if another live process owns the file
 */
export function claimRunFile(path: string): RunFile {
  // Checked before reading the file. Otherwise, a file that another process creates after the read
  // would be overwritten.
  const isThere = existsSync(path)
  const owner = ownerOf(path)
  if (owner !== null && owner !== process.pid) throw new AlreadyRunningError(owner)
  const earlier = read(path)
  const leftovers = earlier === null ? [] : endLeftovers(earlier)
  let processes: Entry[] = []
  const write = (to: string): void => {
    const content: Content = {
      owner: { pid: process.pid, started: startTimeOf(process.pid) ?? '' },
      processes
    }
    writeFileSync(to, JSON.stringify(content, null, 2), { mode: 0o600 })
  }
  mkdirSync(dirname(path), { recursive: true })
  if (isThere) write(path)
  else create(path, write)
  return {
    leftovers,
    add: (name, pid) => {
      processes.push({ name, pid, started: startTimeOf(pid) ?? '' })
      write(path)
    },
    drop: (pid) => {
      processes = processes.filter((entry) => entry.pid !== pid)
      write(path)
    },
    release: () => rmSync(path, { force: true })
  }
}
