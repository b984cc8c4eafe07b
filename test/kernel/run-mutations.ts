/** Tests that the cases of the kernel notice each mutation of it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import type { loadKernel } from '../../gateway/ingest/kernel/kernel.ts'
import { fixedCases, randomBodies } from '../unit/gateway/ingest/kernel/cases.ts'
import { createComparison } from '../unit/gateway/ingest/kernel/compare.ts'
import type { BodyCase } from '../unit/gateway/ingest/kernel/compare.ts'
import { compileKernel, kernelFolder, readSource, root } from './compile-kernel.ts'
import { mutations } from './mutations.ts'
import type { Mutation } from './mutations.ts'

const randomRuns = { numRuns: 1000, seed: 20_261_128 }
const unchanged: Mutation = { name: 'no mutation', file: 'kernel.ts', from: '', to: '' }

/** @throws {Error} if a mutation survives */
export async function runMutations(): Promise<void> {
  const noticed = await noticeOf(unchanged)
  if (noticed !== null) throw new Error(`The unchanged kernel fails: ${noticed}`)
  const survivors: string[] = []
  for (const mutation of mutations) {
    const notice = await noticeOf(mutation)
    process.stdout.write(`${notice === null ? 'SURVIVED' : 'killed  '} ${mutation.name}`)
    process.stdout.write(notice === null ? '\n' : `: ${notice}\n`)
    if (notice === null) survivors.push(mutation.name)
  }
  process.stdout.write(`${mutations.length} mutations, ${survivors.length} survived\n`)
  if (survivors.length === 0) return
  throw new Error(`Add cases that notice these mutations: ${survivors.join('; ')}`)
}

/** Returns the kind of case that notices a mutation, or null. */
async function noticeOf(mutation: Mutation): Promise<string | null> {
  const sourceOf = (file: string) =>
    file === mutation.file ? mutated(readSource(file), mutation) : readSource(file)
  const wasm = await compileKernel(sourceOf, ['-O1'])
  const load = await importLoadKernel(sourceOf('kernel.ts'))
  const { compareAll } = createComparison(load(wasm))
  for (const [kind, cases] of kindsOfCases()) {
    try {
      if ((await compareAll(cases)) !== null) return kind
    } catch (error) {
      return `${kind} (${String(error)})`
    }
  }
  return null
}

function mutated(source: string, { name, from, to }: Mutation): string {
  if (from === '') return source
  const parts = source.split(from)
  if (parts.length !== 2) throw new Error(`${name}: "${from}" occurs ${parts.length - 1} times`)
  return parts.join(to)
}

function* kindsOfCases(): Generator<[string, Iterable<BodyCase>]> {
  for (const [kind, cases] of Object.entries(fixedCases)) yield [kind, cases()]
  for (const [format, texts] of randomBodies) {
    const bodies = fc.sample(texts, randomRuns).map((text): BodyCase => [text, format])
    yield [`random bodies (${format})`, bodies]
  }
}

/** Imports `loadKernel` from the text of kernel.ts. Its imports are resolved from its folder. */
async function importLoadKernel(text: string): Promise<typeof loadKernel> {
  const folder = mkdtempSync(join(root, '.sluice/kernel-'))
  try {
    const path = join(folder, 'kernel.ts')
    const up = `'${pathToFileURL(join(kernelFolder, '../../..')).href}/`
    writeFileSync(path, text.replaceAll("'../../../", up))
    const glue = (await import(pathToFileURL(path).href)) as { loadKernel: typeof loadKernel }
    return glue.loadKernel
  } finally {
    rmSync(folder, { recursive: true })
  }
}
