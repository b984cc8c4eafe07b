/** Compiles the ingest kernel. The compiler is not a dependency, because only this needs it. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export const root = join(import.meta.dirname, '../..')
export const kernelFolder = join(root, 'gateway/ingest/kernel')
/** Another version may compile the same source to other bytes. */
const version = '0.28.20'
const folder = join(root, '.sluice/kernel', version)
const compilerPath = join(folder, 'node_modules/assemblyscript/dist/asc.js')
const sources = ['json.as.ts', 'kernel.as.ts']
const options = [
  ...['--runtime', 'stub', '--noAssert', '--enable', 'simd', '--enable', 'bulk-memory'],
  ...['--initialMemory', '64', '--maximumMemory', '64', '--zeroFilledMemory']
]

interface Compiler {
  main(args: string[]): Promise<{ error: Error | null; stderr: { toString(): string } }>
}

/** Text of a source file, which may differ from the file in the repository. */
type SourceOf = (file: string) => string

export const readSource: SourceOf = (file) => readFileSync(join(kernelFolder, file), 'utf8')

/** Compiles the sources. Returns the path of the result, which the next call overwrites. */
export async function compileKernel(
  sourceOf: SourceOf = readSource,
  optimization = ['-O3', '--converge']
): Promise<string> {
  if (!existsSync(compilerPath)) installCompiler()
  const work = join(folder, 'sources')
  mkdirSync(work, { recursive: true })
  for (const file of sources) writeFileSync(join(work, file), sourceOf(file))
  const output = join(work, 'kernel.wasm')
  const compiler = (await import(pathToFileURL(compilerPath).href)) as Compiler
  const args = ['kernel.as.ts', '--baseDir', work, '-o', 'kernel.wasm', ...optimization, ...options]
  const { error, stderr } = await compiler.main(args)
  if (error !== null) throw new Error(`${error.message}\n${stderr.toString()}`)
  return output
}

function installCompiler(): void {
  mkdirSync(folder, { recursive: true })
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund']
  const parts = [...args, '--ignore-scripts', '--loglevel=error', `assemblyscript@${version}`]
  execFileSync('npm', parts, { stdio: ['ignore', 'ignore', 'inherit'] })
}
