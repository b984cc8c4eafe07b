/** Fetches the services' own files from Maven Central once per user, with progress. */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { withdrawWriting, withdrawWritingBelow } from './private-folder.ts'

const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin'

type Artifact = readonly [group: string, name: string, version: string]

/** A project that needs these, so that Maven finds what they need in turn. */
function pomOf(name: string, artifacts: readonly Artifact[]): string {
  const dependencies = artifacts.map(([group, artifact, version]) => {
    const place = `<groupId>${group}</groupId><artifactId>${artifact}</artifactId>`
    return `    <dependency>${place}<version>${version}</version></dependency>`
  })
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sluice</groupId>
  <artifactId>${name}</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
${dependencies.join('\n')}
  </dependencies>
</project>
`
}

type Download = { title: string; goal: (into: string) => string[]; pom?: string }

function copyDependencies(into: string): string[] {
  const where = [`-DoutputDirectory=${into}`, '-DincludeScope=runtime']
  return [`${DEPENDENCY_PLUGIN}:3.8.1:copy-dependencies`, ...where]
}

/** One folder of the cache each; a new version is a new folder. */
const DOWNLOADS = {
  'kafka-4.3.1': {
    title: 'Kafka 4.3.1',
    pom: pomOf('kafka', [
      ['org.apache.kafka', 'kafka_2.13', '4.3.1'],
      ['org.apache.logging.log4j', 'log4j-slf4j-impl', '2.25.4']
    ]),
    goal: copyDependencies
  },
  // Its commands for operators, which only tests run.
  'kafka-tools-4.3.1': {
    title: 'the tools of Kafka 4.3.1',
    pom: pomOf('kafka-tools', [['org.apache.kafka', 'kafka-tools', '4.3.1']]),
    goal: copyDependencies
  },
  // This old version of the plugin fetches the file alone; newer ones also want the parent's
  // descriptor, which was never published for this release.
  'apicurio-3.0.9': {
    title: 'Apicurio Registry 3.0.9',
    goal: (into) => [
      `${DEPENDENCY_PLUGIN}:2.10:unpack`,
      '-Dartifact=io.apicurio:apicurio-registry-app:3.0.9:tar.gz:all',
      `-DoutputDirectory=${into}`
    ]
  },
  'redis-1.4.3': {
    title: 'Redis 6.2',
    goal: (into) => [
      `${DEPENDENCY_PLUGIN}:2.10:unpack`,
      '-Dartifact=com.github.codemonstur:embedded-redis:1.4.3:jar',
      '-Dmdep.unpack.includes=redis-server-*',
      `-DoutputDirectory=${into}`
    ]
  }
} satisfies Record<string, Download>

export type DownloadName = keyof typeof DOWNLOADS

export type Downloads = {
  has(name: DownloadName): boolean
  /** Resolves with the folder of the files, fetching them first when they are not there. */
  fetch(name: DownloadName, onProgress: (detail: string) => void): Promise<string>
}

export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  const named = environment['SLUICE_CACHE']
  if (named !== undefined && named !== '') return named
  const base = environment['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  return join(base, 'sluice')
}

/** "Downloaded from central: https://.../kafka-clients-4.3.1.jar (11 MB at 20 MB/s)" -> 11000000 */
export function bytesOfLine(line: string): number | null {
  const match = /Downloaded from .*\(([\d.]+) (B|kB|MB|GB) at /.exec(line)
  if (match === null) return null
  const unit = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9 }[match[2] as 'B' | 'kB' | 'MB' | 'GB']
  return Number(match[1]) * unit
}

type MavenRun = { args: string[]; cwd: string; signal: AbortSignal | undefined }

/** Resolves when Maven has succeeded; rejects with its first line of error. */
async function runMaven(run: MavenRun, onLine: (line: string) => void): Promise<void> {
  const child = spawn('mvn', ['-B', '-Dstyle.color=never', ...run.args], {
    cwd: run.cwd,
    // Maven runs for seconds, too short for the optimizing compiler to pay off.
    env: {
      ...process.env,
      MAVEN_OPTS: `-XX:TieredStopAtLevel=1 ${process.env['MAVEN_OPTS'] ?? ''}`
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(run.signal === undefined ? {} : { signal: run.signal })
  })
  let firstError = ''
  const hear = (line: string): void => {
    if (firstError === '' && line.startsWith('[ERROR]')) firstError = line.slice(8)
    onLine(line)
  }
  createInterface({ input: child.stdout }).on('line', hear)
  createInterface({ input: child.stderr }).on('line', hear)
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(firstError || `mvn ended with exit code ${code}`))
    })
  })
}

async function download(
  target: string,
  { title, goal, pom }: Download,
  options: { signal: AbortSignal | undefined; onProgress: (detail: string) => void }
): Promise<void> {
  mkdirSync(join(target, '..'), { recursive: true })
  const work = mkdtempSync(`${target}.part-`)
  const into = join(work, 'files')
  let files = 0
  let bytes = 0
  try {
    if (pom !== undefined) writeFileSync(join(work, 'pom.xml'), pom)
    options.onProgress(title)
    await runMaven({ args: goal(into), cwd: work, signal: options.signal }, (line) => {
      const more = bytesOfLine(line)
      if (more === null) return
      files += 1
      bytes += more
      options.onProgress(`${title}: ${files} files, ${Math.round(bytes / 1e6)} MB`)
    })
    if (!existsSync(into)) throw new Error('Maven reported success but left no files')
    if (!existsSync(target)) renameSync(into, target)
  } catch (error) {
    options.signal?.throwIfAborted()
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`Maven could not download ${title}: ${why}`, { cause: error })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

export function createDownloads(cache: string, signal?: AbortSignal): Downloads {
  // One at a time: Maven's local repository is not made for several writers.
  let queue: Promise<unknown> = Promise.resolve()
  const has = (name: DownloadName): boolean => existsSync(join(cache, name))

  async function fetch(name: DownloadName, onProgress: (detail: string) => void): Promise<string> {
    const target = join(cache, name)
    if (!has(name)) {
      const turn = queue.then(() => download(target, DOWNLOADS[name], { signal, onProgress }))
      queue = turn.catch(() => {})
      await turn
    }
    // Whoever can write there decides what we run.
    withdrawWriting(cache)
    withdrawWritingBelow(target)
    return target
  }

  return { has, fetch }
}

/** Archives may lose the bit; where it is set already, the file may well be somebody else's. */
export function makeExecutable(path: string): void {
  if ((statSync(path).mode & 0o111) !== 0o111) chmodSync(path, 0o755)
}

/** The Redis server for this platform among the files of the download, made executable. */
export function redisBinaryIn(folder: string): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const ending = `-${process.platform}-${architecture}`
  const file = readdirSync(folder).find((name) => name.endsWith(ending))
  if (file === undefined) {
    throw new Error(`there is no Redis for ${process.platform} on ${process.arch}: install redis`)
  }
  makeExecutable(join(folder, file))
  return join(folder, file)
}
