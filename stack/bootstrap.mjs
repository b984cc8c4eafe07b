/** Runs the npm scripts on any Node version: installs packages, then starts the program on the
 * pinned Node.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const PINNED_NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node')
/** Node's compile cache. `npm ci` deletes it. */
const COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'node')
const PROGRAMS = {
  start: ['stack/start.ts'],
  test: ['test/run.ts'],
  'test:all': ['test/run.ts', '--all'],
  check: ['test/run.ts', 'check', 'unit'],
  bench: ['bench/run.ts'],
  kernel: ['test/kernel/run.ts'],
  docs: ['docs/make-reference.ts'],
  pictures: ['test/console/make-pictures.ts'],
  'measure:tail': ['test/console/measure-tail.ts'],
  'test:faults': ['test/faults/run.ts']
}
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP']
const PARENT_LOOK_MS = 1_000

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

/** Checks whether the installed packages match the lock file. */
function isInstalled() {
  const wanted = readJson(join(ROOT, 'package-lock.json'))
  const found = readJson(join(ROOT, 'node_modules', '.package-lock.json'))
  if (wanted === null || found === null) return false
  return Object.entries(wanted.packages).every(([path, entry]) => {
    if (path === '' || entry.link === true) return true
    const present = found.packages[path]
    // A package for another platform is in the lock file but not installed.
    return present === undefined ? entry.optional === true : present.version === entry.version
  })
}

/** Runs a program, forwards signals to it, and resolves with its exit code. */
async function runToEnd(command, args, options) {
  const child = spawn(command, args, { cwd: ROOT, ...options })
  const forward = (signal) => child.kill(signal)
  for (const signal of FORWARDED) process.on(signal, forward)
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid !== parent) forward('SIGTERM')
  }, PARENT_LOOK_MS)
  const code = await new Promise((resolve) => {
    child.on('error', (error) => fail(`${command} cannot be run: ${error.message}`))
    child.on('exit', (status, signal) => resolve(status ?? 128 + constants.signals[signal]))
  })
  clearInterval(watch)
  for (const signal of FORWARDED) process.off(signal, forward)
  return code
}

async function install() {
  process.stdout.write(
    'Installing packages (npm ci), needed after each change of package-lock.json\n'
  )
  const began = Date.now()
  const npm = process.env.npm_execpath
  const isScript = npm !== undefined && /\.c?js$/.test(npm)
  const args = ['ci', '--loglevel=error', '--no-audit', '--no-fund']
  const options = { stdio: ['ignore', 'inherit', 'inherit'] }
  const code = isScript
    ? await runToEnd(process.execPath, [npm, ...args], options)
    : await runToEnd('npm', args, options)
  if (code > 128) process.exit(code)
  if (code !== 0) fail('npm ci failed; see the errors above.')
  process.stdout.write(`Installed in ${((Date.now() - began) / 1000).toFixed(1)} s\n`)
}

function isRecent(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 6)
}

/** Returns the pinned Node 24, or this Node if it is recent enough. */
function findNode() {
  try {
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
    if (existsSync(PINNED_NODE) && execFileSync(PINNED_NODE, ['--version'], options)) {
      return PINNED_NODE
    }
  } catch {
    // The pinned Node is installed but does not run. This Node is used if it is recent enough.
  }
  if (isRecent(process.versions.node)) return process.execPath
  return fail(
    'Sluice needs Node 24. The npm package "node" installs it, but npm did not run that ' +
      'package\'s install script. Run "npm rebuild node --ignore-scripts=false" and try ' +
      `again, or use Node 24.6 or later (this is ${process.versions.node}).`
  )
}

async function run(node, program, args) {
  const path = [join(ROOT, 'node_modules', '.bin'), process.env.PATH].join(delimiter)
  const parts = ['--import', './stack/end-with-parent.mjs', ...program, ...args]
  return await runToEnd(node, parts, {
    // The IPC channel closes when this process exits for any reason. end-with-parent.mjs then stops
    // the program.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // Child processes of the program inherit the compile cache.
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...process.env, PATH: path }
  })
}

const [verb = '', ...args] = process.argv.slice(2)
const program = PROGRAMS[verb]
if (program === undefined) fail(`Use one of: ${Object.keys(PROGRAMS).join(', ')}`)
if (!isInstalled()) await install()
if (!existsSync(join(ROOT, program[0]))) fail(`${program[0]} is missing from this copy of Sluice.`)
process.exit(await run(findNode(), program, args))
