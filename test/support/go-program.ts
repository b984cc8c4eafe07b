/** Programs in Go that tests ask, each built once from its own source at one version. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cachedFolder } from './cached-folder.ts'
import { answers, runWell } from './run-to-end.ts'

export interface GoProgram {
  readonly name: string
  readonly version: string
  /** The path of its package. */
  readonly source: string
  readonly flags?: readonly string[]
}

/** Where it is; null, and a line that says so, where there is no Go or nothing to build it of. */
export async function findGoProgram(program: GoProgram): Promise<string | null> {
  const { name, version } = program
  try {
    return join(await cachedFolder(`${name}-${version}`, (into) => build(program, into)), name)
  } catch (error) {
    process.stderr.write(`There is no ${name} here: ${String(error).slice(0, 400)}\n`)
    return null
  }
}

/** In a module of its own, since `go install` takes none that replaces what it depends on. */
async function build({ name, version, source, flags = [] }: GoProgram, into: string) {
  if (!answers('go', 'version')) throw new Error('there is no go to build it with')
  process.stderr.write(`Building ${name} ${version}, once; this takes a few minutes.\n`)
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' }
  writeFileSync(join(into, 'go.mod'), `module ${name}\n`)
  await runWell('go', ['get', `${source}@${version}`], { cwd: into, env })
  await runWell('go', ['build', ...flags, '-o', join(into, name), source], { cwd: into, env })
}
