/** Builds the console if its sources are newer than the last build. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..')
const timeoutMs = 120_000
const page = 'console/dist/index.html'
/** Files and folders of console/ that the build reads. It also reads `otherInputs`. */
const inputs = ['console/index.html', 'console/build.ts', 'console/compress.ts', 'console/src']
const otherInputs = ['core', 'package-lock.json']

/** @returns whether the console was built */
export async function buildConsole(folder = root): Promise<boolean> {
  if (!isStale(folder)) return false
  const env = { ...process.env, NODE_ENV: 'production' }
  const options = { cwd: folder, env, timeout: timeoutMs }
  await promisify(execFile)(process.execPath, ['--no-warnings', 'console/build.ts'], options)
  return true
}

/** Checks whether the last build is missing or older than a source. */
export function isStale(folder: string): boolean {
  const built = join(folder, page)
  if (!existsSync(built)) return true
  const builtMs = statSync(built).mtimeMs
  return [...inputs, ...otherInputs].some((path) => changedMs(join(folder, path)) > builtMs)
}

/** Returns the time of the last change of a file, or of any file or folder in a folder. */
function changedMs(path: string): number {
  if (!existsSync(path)) return 0
  const stats = statSync(path)
  if (!stats.isDirectory()) return stats.mtimeMs
  const inside = readdirSync(path, { recursive: true, encoding: 'utf8' })
  return Math.max(stats.mtimeMs, ...inside.map((name) => statSync(join(path, name)).mtimeMs))
}
