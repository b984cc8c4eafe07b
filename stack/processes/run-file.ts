/** The processes of one run, listed on disk, so that the next start can tell and tidy up. */
import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const END_WAIT_MS = 5_000
const END_LOOK_MS = 50

export type Identity = { pid: number; started: string }
type Entry = Identity & { name: string }
type Content = { owner: Identity; processes: Entry[] }

/** Thrown when another process that is alive owns this run file. */
export class AlreadyRunning extends Error {
  readonly pid: number
  constructor(pid: number) {
    super(`Sluice is already running here (process ${pid}); stop it first with Ctrl-C`)
    this.name = 'AlreadyRunning'
    this.pid = pid
  }
}

/** When a process began, so that a number taken by another process later is not mistaken for it. */
export function startOf(pid: number): string | null {
  try {
    if (process.platform !== 'linux') {
      const said = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
      return said.trim() || null
    }
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name in parentheses, which may itself hold spaces, start time is the 20th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : `${boot}:${fields[19] ?? ''}`
  } catch {
    return null
  }
}

/** Whether this very process still runs, and not another one with its number. */
export function isAlive(identity: Identity): boolean {
  return startOf(identity.pid) === identity.started
}

function read(path: string): Content | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Content
  } catch {
    return null
  }
}

/** The process that owns this run file, when it is alive. */
export function ownerOf(path: string): number | null {
  const content = read(path)
  return content !== null && isAlive(content.owner) ? content.owner.pid : null
}

/** A claim is made before anything else happens, so there is nothing that this could hold up. */
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
      // It ended between the look and the signal.
    }
  }
  waitForEnd(left)
  return left.map((entry) => entry.name)
}

export type RunFile = {
  /** Names of processes that an earlier run had left behind and that were ended now. */
  leftovers: string[]
  add(name: string, pid: number): void
  drop(pid: number): void
  release(): void
}

/** Of several processes that create the file at once, one does; it never exists unwritten. */
function create(path: string, write: (to: string) => void): void {
  const part = `${path}.${process.pid}`
  write(part)
  try {
    linkSync(part, path)
  } catch {
    const owner = ownerOf(path)
    if (owner !== null) throw new AlreadyRunning(owner)
    // Some file systems have no links.
    write(path)
  } finally {
    rmSync(part, { force: true })
  }
}

/** Makes this process the owner of the run file, or throws AlreadyRunning. */
export function claimRunFile(path: string): RunFile {
  // Looked at first: a file that another process creates from here on is not overwritten.
  const isThere = existsSync(path)
  const owner = ownerOf(path)
  if (owner !== null && owner !== process.pid) throw new AlreadyRunning(owner)
  const earlier = read(path)
  const leftovers = earlier === null ? [] : endLeftovers(earlier)
  let processes: Entry[] = []
  const write = (to: string): void => {
    const content: Content = {
      owner: { pid: process.pid, started: startOf(process.pid) ?? '' },
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
      processes.push({ name, pid, started: startOf(pid) ?? '' })
      write(path)
    },
    drop: (pid) => {
      processes = processes.filter((entry) => entry.pid !== pid)
      write(path)
    },
    release: () => rmSync(path, { force: true })
  }
}
