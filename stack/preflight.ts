/** Looks at the machine before anything starts, and says in one sentence each what it lacks. */
import { execFileSync } from 'node:child_process'
import { existsSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheFolder, createDownloads } from './downloads.ts'
import type { StackMode } from './service.ts'

const JAVA_MAJOR_MIN = 17
const FREE_BYTES_MIN = 1024 ** 3
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
const OTHER_WAYS = 'or set SLUICE_STACK=docker'

/** What the look needs to know about the machine; tests give their own. */
export type Machine = {
  platform: string
  /** The major version, or null when there is none. */
  javaMajor(): number | null
  hasMaven(): boolean
  /** Whether everything Maven would fetch is here already. */
  hasDownloads(): boolean
  freeBytes(): number
}

export class PreflightError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.name = 'PreflightError'
    this.problems = problems
  }
}

function javaProblem(major: number | null): string[] {
  if (major !== null && major >= JAVA_MAJOR_MIN) return []
  const found = major === null ? 'Java is missing' : `Java ${major} is too old`
  const wish = `install a Java ${JAVA_MAJOR_MIN} or later (JAVA_HOME or PATH), ${OTHER_WAYS}`
  return [`${found}: ${wish}.`]
}

function nativeProblems(machine: Machine): string[] {
  if (!PLATFORMS.includes(machine.platform)) {
    return [`Kafka, Redis and Postgres cannot be run directly on ${machine.platform}: use Docker.`]
  }
  const problems = javaProblem(machine.javaMajor())
  if (!machine.hasDownloads() && !machine.hasMaven()) {
    problems.push(`Maven is missing and fetches Kafka: install it (mvn on PATH), ${OTHER_WAYS}.`)
  }
  return problems
}

/** Every problem, in the order in which to mend them. */
export function problemsOf(mode: StackMode, machine: Machine): string[] {
  const problems = mode === 'native' ? nativeProblems(machine) : []
  const free = machine.freeBytes()
  if (mode !== 'external' && free < FREE_BYTES_MIN) {
    const left = `${Math.floor(free / 1024 ** 2)} MiB`
    problems.push(`Only ${left} of disk are left here and 1 GiB is needed: make room, then retry.`)
  }
  return problems
}

/** `openjdk version "17.0.15"` -> 17, `java version "1.8.0_402"` -> 8 */
export function javaMajorOf(said: string): number | null {
  const match = /version "(?:1\.)?(\d+)/.exec(said)
  return match === null ? null : Number(match[1])
}

/** JAVA_HOME's java where it is set, as Maven does it, else the one on the PATH. */
export function javaCommand(environment: NodeJS.ProcessEnv): string {
  const home = environment['JAVA_HOME']
  const command = home ? join(home, 'bin', 'java') : ''
  return command !== '' && existsSync(command) ? command : 'java'
}

function output(command: string, args: string[]): string | null {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch {
    return null
  }
}

let javaSaid: string | null | undefined

/** The output of `java --version`; null if Java is missing or older than 9. */
export function javaVersion(): string | null {
  return (javaSaid ??= output(javaCommand(process.env), ['--version']))
}

function readJavaMajor(): number | null {
  // "-version" says it on stderr, the newer "--version" on stdout without quotes.
  const said = javaVersion()
  if (said !== null) return javaMajorOf(said.replace(/^\S+ (\S+)/, 'version "$1"'))
  const settings = output('sh', ['-c', `"${javaCommand(process.env)}" -version 2>&1`])
  return settings === null ? null : javaMajorOf(settings)
}

function isOnPath(program: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(':')
  return folders.some((folder) => existsSync(join(folder, program)))
}

function freeBytesAt(folder: string): number {
  let existing = folder
  while (!existsSync(existing)) existing = dirname(existing)
  const { bavail, bsize } = statfsSync(existing)
  return bavail * bsize
}

export function thisMachine(folder: string): Machine {
  const downloads = createDownloads(cacheFolder(process.env))
  return {
    platform: `${process.platform}-${process.arch}`,
    javaMajor: readJavaMajor,
    hasMaven: () => isOnPath('mvn'),
    hasDownloads: () =>
      downloads.has('kafka-4.3.1') &&
      downloads.has('apicurio-3.0.9') &&
      (isOnPath('redis-server') || downloads.has('redis-1.4.3')),
    freeBytes: () => freeBytesAt(folder)
  }
}

/** Throws PreflightError with every problem. */
export function preflight(mode: StackMode, machine: Machine): void {
  const problems = problemsOf(mode, machine)
  if (problems.length > 0) throw new PreflightError(problems)
}
