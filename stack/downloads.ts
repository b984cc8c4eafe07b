/** Downloads the service programs from Maven Central, once per user. */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { removeWriteAccess, removeWriteAccessBelow } from './private-folder.ts'

const DEPENDENCY_PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin'

type Artifact = readonly [group: string, name: string, version: string]

/**
 * Returns a Maven project that depends on the artifacts, so that Maven resolves their dependencies.
 */
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

/** Programs to download. Each version has its own cache folder. */
const DOWNLOADS = {
  'kafka-4.3.1': {
    title: 'Kafka 4.3.1',
    pom: pomOf('kafka', [
      ['org.apache.kafka', 'kafka_2.13', '4.3.1'],
      ['org.apache.logging.log4j', 'log4j-slf4j-impl', '2.25.4']
    ]),
    goal: copyDependencies
  },
  // Kafka administration tools, used only by tests.
  'kafka-tools-4.3.1': {
    title: 'Kafka 4.3.1 tools',
    pom: pomOf('kafka-tools', [['org.apache.kafka', 'kafka-tools', '4.3.1']]),
    goal: copyDependencies
  },
  // Uses an old version of the Maven dependency plugin, which fetches only the file itself. Newer
  // versions also require the parent POM, which was never published for this Apicurio release.
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
  /** Resolves with the folder that contains the files. Downloads them first if they are missing. */
  fetch(name: DownloadName, onProgress: (detail: string) => void): Promise<string>
}

export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  const named = environment['SLUICE_CACHE']
  if (named !== undefined && named !== '') return named
  const base = environment['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  return join(base, 'sluice')
}

/**
 * Parses the size of a download from Maven output. For example, returns 11000000 for "Downloaded
 * from central: https://.../kafka-clients-4.3.1.jar (11 MB at 20 MB/s)".
 */
export function bytesOfLine(line: string): number | null {
  const match = /Downloaded from .*\(([\d.]+) (B|kB|MB|GB) at /.exec(line)
  if (match === null) return null
  const unit = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9 }[match[2] as 'B' | 'kB' | 'MB' | 'GB']
  return Number(match[1]) * unit
}

type MavenRun = { args: string[]; cwd: string; signal: AbortSignal | undefined }

/** Runs Maven. Rejects with the first error line in its output. */
async function runMaven(run: MavenRun, onLine: (line: string) => void): Promise<void> {
  const child = spawn('mvn', ['-B', '-Dstyle.color=never', ...run.args], {
    cwd: run.cwd,
    // Disables the optimizing compiler, because Maven runs for only a few seconds.
    env: {
      ...process.env,
      MAVEN_OPTS: `-XX:TieredStopAtLevel=1 ${process.env['MAVEN_OPTS'] ?? ''}`
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(run.signal === undefined ? {} : { signal: run.signal })
  })
  let firstError = ''
  const onOutput = (line: string): void => {
    if (firstError === '' && line.startsWith('[ERROR]')) firstError = line.slice(8)
    onLine(line)
  }
  createInterface({ input: child.stdout }).on('line', onOutput)
  createInterface({ input: child.stderr }).on('line', onOutput)
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(firstError || `mvn exited with code ${code}`))
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
    if (!existsSync(into)) throw new Error('Maven reported success but wrote no files')
    if (!existsSync(target)) renameSync(into, target)
  } catch (error) {
    options.signal?.throwIfAborted()
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`Maven cannot download ${title}: ${why}`, { cause: error })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

export function createDownloads(cache: string, signal?: AbortSignal): Downloads {
  // Downloads one program at a time, because Maven's local repository does not support concurrent
  // writers.
  let queue: Promise<unknown> = Promise.resolve()
  const has = (name: DownloadName): boolean => existsSync(join(cache, name))

  async function fetch(name: DownloadName, onProgress: (detail: string) => void): Promise<string> {
    const target = join(cache, name)
    if (!has(name)) {
      const next = queue.then(() => download(target, DOWNLOADS[name], { signal, onProgress }))
      queue = next.catch(() => {})
      await next
    }
    // Removes write access of other users, because anyone who can write these files could run code
    // as this user.
    removeWriteAccess(cache)
    removeWriteAccessBelow(target)
    return target
  }

  return { has, fetch }
}

/**
 * Sets the executable bit, which archives may lose. Does not change a file that already has it,
 * because the file may belong to another user.
 */
export function makeExecutable(path: string): void {
  if ((statSync(path).mode & 0o111) !== 0o111) chmodSync(path, 0o755)
}

/** Returns the downloaded Redis server for this platform, and makes it executable. */
export function redisBinaryIn(folder: string): string {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch
  const ending = `-${process.platform}-${architecture}`
  const file = readdirSync(folder).find((name) => name.endsWith(ending))
  if (file === undefined) {
    throw new Error(
      `no Redis download for ${process.platform} on ${process.arch}; install redis-server`
    )
  }
  makeExecutable(join(folder, file))
  return join(folder, file)
}
