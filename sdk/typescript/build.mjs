/** Builds `dist` from `src`: ES modules and CommonJS, each with types. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const here = import.meta.dirname
const dist = join(here, 'dist')

function compile(project, folder) {
  const args = [tsc, '-p', join(here, project), '--outDir', join(dist, folder)]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) throw new Error(`${project} does not compile`)
}

rmSync(dist, { recursive: true, force: true })
mkdirSync(join(dist, 'cjs'), { recursive: true })
compile('tsconfig.json', 'esm')
compile('tsconfig.cjs.json', 'cjs')
writeFileSync(join(dist, 'cjs', 'package.json'), '{"type":"commonjs"}\n')
