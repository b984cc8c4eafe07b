/** Builds Go programs for tests, once per pinned version. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachedFolder } from './cached-folder.ts'
import { isAvailable, runWell } from './run-to-end.ts'

interface GoProgram {
  readonly name: string
  readonly version: string
  /** Import path of the main package. */
  readonly source: string
  readonly flags?: readonly string[]
}

/** Returns the path of the program; null, after a warning, if it cannot be built. */
export async function findGoProgram(program: GoProgram): Promise<string | null> {
  const { name, version } = program
  try {
    return join(await cachedFolder(`${name}-${version}`, (into) => build(program, into)), name)
  } catch (error) {
    process.stderr.write(`There is no ${name} here: ${String(error).slice(0, 400)}\n`)
    return null
  }
}

/** Builds in a separate module, because `go install` rejects modules with replace directives. */
async function build({ name, version, source, flags = [] }: GoProgram, into: string) {
  if (!isAvailable('go', 'version')) throw new Error('Go is not installed')
  process.stderr.write(`Building ${name} ${version}, once; this takes a few minutes.\n`)
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' }
  writeFileSync(join(into, 'go.mod'), `module ${name}\n`)
  await runWell('go', ['get', `${source}@${version}`], { cwd: into, env })
  await runWell('go', ['build', ...flags, '-o', join(into, name), source], { cwd: into, env })
}
