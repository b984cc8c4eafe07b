/** Checks the machine before startup, and reports each problem in one sentence. */
import { execFileSync } from 'node:child_process'
import { existsSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheFolder, createDownloads } from './downloads.ts'
import type { StackMode } from './service.ts'

const JAVA_MAJOR_MIN = 17
const FREE_BYTES_MIN = 1024 ** 3
const PLATFORMS = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']
const ALTERNATIVE = 'or set SLUICE_STACK=docker'

/** Properties of the machine to check. Tests pass their own. */
export type Machine = {
  platform: string
  /** Returns the major version, or null if Java is missing. */
  javaMajor(): number | null
  hasMaven(): boolean
  /** Checks whether everything that Maven would download is present. */
  hasDownloads(): boolean
  freeBytes(): number
}

class PreflightError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.name = 'PreflightError'
    this.problems = problems
  }
}

function javaProblem(major: number | null): string[] {
  if (major !== null && major >= JAVA_MAJOR_MIN) return []
  const problem = major === null ? 'Java is missing' : `Java ${major} is too old`
  const advice = `install Java ${JAVA_MAJOR_MIN} or later (JAVA_HOME or PATH), ${ALTERNATIVE}`
  return [`${problem}: ${advice}.`]
}

function nativeProblems(machine: Machine): string[] {
  if (!PLATFORMS.includes(machine.platform)) {
    return [`Kafka, Redis and Postgres cannot run natively on ${machine.platform}: use Docker.`]
  }
  const problems = javaProblem(machine.javaMajor())
  if (!machine.hasDownloads() && !machine.hasMaven()) {
    problems.push(
      `Maven is missing and is needed to download Kafka: install it (mvn on PATH), ${ALTERNATIVE}.`
    )
  }
  return problems
}

/** Returns all problems, in the order in which to fix them. */
export function problemsOf(mode: StackMode, machine: Machine): string[] {
  const problems = mode === 'native' ? nativeProblems(machine) : []
  const free = machine.freeBytes()
  if (mode !== 'external' && free < FREE_BYTES_MIN) {
    const left = `${Math.floor(free / 1024 ** 2)} MiB`
    problems.push(
      `Only ${left} of disk space are free, and 1 GiB is needed: free some space, then retry.`
    )
  }
  return problems
}

/**
 * Parses the major version, for example 17 in `openjdk version "17.0.15"` or 8 in `java version
 * "1.8.0_402"`.
 */
export function javaMajorOf(output: string): number | null {
  const match = /version "(?:1\.)?(\d+)/.exec(output)
  return match === null ? null : Number(match[1])
}

/**
 * Returns the java command in JAVA_HOME if there is one, otherwise `java` from the PATH. Maven
 * makes the same choice.
 */
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

let javaOutput: string | null | undefined

/** Returns the output of `java --version`, or null if Java is missing or older than 9. */
export function javaVersion(): string | null {
  return (javaOutput ??= output(javaCommand(process.env), ['--version']))
}

function readJavaMajor(): number | null {
  // "--version" writes to stdout without quotes. The older "-version" writes to stderr.
  const version = javaVersion()
  if (version !== null) return javaMajorOf(version.replace(/^\S+ (\S+)/, 'version "$1"'))
  const older = output('sh', ['-c', `"${javaCommand(process.env)}" -version 2>&1`])
  return older === null ? null : javaMajorOf(older)
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

/** @throws {PreflightError} with all problems */
export function preflight(mode: StackMode, machine: Machine): void {
  const problems = problemsOf(mode, machine)
  if (problems.length > 0) throw new PreflightError(problems)
}
