/** Runs Redis as a process: redis-server on the PATH, or else a binary from Maven Central. */
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { redisBinaryIn } from '../downloads.ts'
import { redisAnswers } from '../probes.ts'
import type { NativeContext } from './native-service.ts'

const READY_TIMEOUT_MS = 20_000
const STOP_DEADLINE_MS = 5_000

function isOnPath(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function binary(context: NativeContext): Promise<string> {
  if (isOnPath()) return 'redis-server'
  const folder = await context.downloads.fetch('redis-1.4.3', (detail) => {
    context.onDownload('redis', detail)
  })
  return redisBinaryIn(folder)
}

/**
 * Commands to disable, because a client could use them to run programs as the user of the server.
 */
const DANGEROUS_COMMANDS = ['CONFIG', 'DEBUG', 'MODULE']

type RedisSettings = { port: number; folder: string; password: string; ephemeral: boolean }

/** Returns redis.conf for a server that listens only on the loopback address. */
export function redisConfigurationOf(settings: RedisSettings): string {
  const { port, folder, password, ephemeral } = settings
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    // redis.conf accepts JSON escapes inside quotes.
    `dir ${JSON.stringify(folder)}`,
    `save ${ephemeral ? '""' : '60 1'}`,
    `requirepass ${password}`,
    ...DANGEROUS_COMMANDS.map((name) => `rename-command ${name} ""`)
  ]
    .map((line) => `${line}\n`)
    .join('')
}

/**
 * Writes the configuration to a file, because any user of the machine can read the arguments of a
 * process.
 */
function writeConfiguration(settings: RedisSettings): string {
  const path = join(settings.folder, 'redis.conf')
  rmSync(path, { force: true })
  writeFileSync(path, redisConfigurationOf(settings), { mode: 0o600 })
  return path
}

export async function startRedis(
  context: NativeContext,
  password: string
): Promise<{ url: string; pid: number }> {
  const command = await binary(context)
  const folder = context.folderOf('redis')
  const port = await context.portOf('redis')
  const { ephemeral } = context
  context.onStarting('redis', `127.0.0.1:${port}`)
  const pid = await context.supervisor.start({
    name: 'redis',
    title: 'Redis',
    command,
    args: [writeConfiguration({ port, folder, password, ephemeral })],
    probe: async () => await redisAnswers('127.0.0.1', port, password),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopDeadlineMs: STOP_DEADLINE_MS
  })
  return { url: `redis://:${password}@127.0.0.1:${port}`, pid }
}
