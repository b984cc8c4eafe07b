/** Compiles the ingest kernel, and tests that its cases notice mutations: `npm run kernel`. */
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compileKernel, kernelFolder } from './compile-kernel.ts'
import { runMutations } from './run-mutations.ts'

const help = `Usage: npm run kernel -- [option]

Compiles gateway/ingest/kernel/*.as.ts to kernel.wasm. The first run downloads the compiler.

  --check       compare the result with the committed kernel.wasm
  --mutations   test that the kernel's cases notice a mutation of each rule
  --help        show this text
`

async function compileTo(committed: string, isCheck: boolean): Promise<void> {
  const compiled = await compileKernel()
  if (!isCheck) return copyFileSync(compiled, committed)
  if (readFileSync(compiled).equals(readFileSync(committed))) return
  throw new Error(
    'kernel.wasm differs from its source. Run `npm run kernel` and commit the result.'
  )
}

const flags = {
  check: { type: 'boolean', default: false },
  mutations: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false }
} as const

try {
  const { check, mutations, help: isHelp } = parseArgs({ options: flags }).values
  if (isHelp) process.stdout.write(help)
  else if (mutations) await runMutations()
  else await compileTo(join(kernelFolder, 'kernel.wasm'), check)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
