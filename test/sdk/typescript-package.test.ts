/** Tests the npm package: its files, types and size, and that it runs on Node 18. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { startAcceptingGateway } from '../support/sdk/accepting-gateway.ts'
import type { AcceptingGateway } from '../support/sdk/accepting-gateway.ts'
import { findPackage } from '../support/sdk/cached-packages.ts'
import { packedPrograms, printed, sentDecisions } from '../support/sdk/packed-programs.ts'
import { installSdk } from '../support/sdk/packed-sdk.ts'
import type { PackedSdk } from '../support/sdk/packed-sdk.ts'

const run = promisify(execFile)
const prepareMs = 240_000
const oldest = 'node@18.20.8'
const gzippedMax = 15 * 1024
const folder = mkdtempSync(join(tmpdir(), 'sluice-package-'))
const installed = join(folder, 'node_modules', '@sluice', 'sdk')
let packed: PackedSdk
let gateway: AcceptingGateway
let oldNode: string

beforeAll(async () => {
  packed = await installSdk(folder)
  gateway = await startAcceptingGateway()
  oldNode = join(await findPackage(oldest), 'node_modules', '.bin', 'node')
}, prepareMs)
afterAll(() => {
  gateway.close()
  rmSync(folder, { recursive: true })
})

test('contains only the files needed to use it', () => {
  const docs = ['docs/reference.md', 'docs/serverless.md']
  const needed = ['LICENSE', 'README.md', 'package.json', ...docs]
  expect(packed.files).toEqual(expect.arrayContaining(needed))
  const others = packed.files.filter((path) => !needed.includes(path))
  expect(others.filter((path) => !/^dist\/(esm|cjs)\/.+[.](js|d[.]ts)$/.test(path))).toEqual([
    'dist/cjs/package.json'
  ])
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as object
  expect(manifest).not.toHaveProperty('dependencies')
})

test('passes publint', async () => {
  const { messages, pkg } = await publint({ pkgDir: installed, strict: true })
  const formatted = messages.map((message) => formatMessage(message, pkg as never))
  expect(formatted).toEqual([])
})

test('has correct types for every module resolution that supports exports', async () => {
  const analyzed = createPackageFromTarballData(new Uint8Array(readFileSync(packed.path)))
  const { problems } = (await checkPackage(analyzed)) as { problems?: readonly object[] }
  // TypeScript's `node10` resolution ignores `exports` and finds only the main entry.
  const others = problems?.filter((problem) => {
    return !('resolutionKind' in problem) || problem.resolutionKind !== 'node10'
  })
  expect(others).toEqual([])
})

test.each([
  ['index.js', 'node'],
  ['index.edge.js', 'browser']
] as const)('%s is smaller than 15 KiB, minified and compressed', async (entry, platform) => {
  const bundled = await build({
    entryPoints: [join(installed, 'dist', 'esm', entry)],
    ...{ bundle: true, minify: true, write: false, format: 'esm', platform }
  })
  const [output] = bundled.outputFiles
  const bytes = gzipSync(output?.contents ?? '').length
  process.stdout.write(`${entry}: ${bytes} bytes\n`)
  expect(bytes).toBeLessThan(gzippedMax)
})

describe.each(['ours', oldest])('Node, %s', (version) => {
  const node = (): string => (version === 'ours' ? process.execPath : oldNode)

  test.each(Object.entries(packedPrograms))('runs a %s', async (name, text) => {
    writeFileSync(join(folder, name), text)
    gateway.decisions.length = 0
    const env = { SLUICE_API_KEY: 'slk_test_key', SLUICE_BASE_URL: gateway.url }
    const { stdout, stderr } = await run(node(), [name], { cwd: folder, env })
    expect(stderr).toBe('')
    expect(stdout).toBe(printed)
    expect(gateway.decisions).toMatchObject(sentDecisions)
  })

  test('runs the doctor', async () => {
    const program = join(folder, 'node_modules', '.bin', 'sluice-sdk')
    const { stdout } = await run(node(), [program, 'doctor', '--help'], { cwd: folder })
    expect(stdout).toMatch(/^sluice-sdk doctor/)
    const running = run(node(), [program, 'doctor', '--json'], { cwd: folder, env: {} })
    await expect(running).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('the API key is not set')
    })
  })
})

test('type-checks a program without DOM and Node types', async () => {
  const source = `
    import { init } from '@sluice/sdk'
    import type { Sluice, Options } from '@sluice/sdk'
    import { wrapOpenAI } from '@sluice/sdk/openai'
    import { sluiceMiddleware } from '@sluice/sdk/ai'

    const options: Options = { agentId: 'typed', onDrop: ({ reason, count }) => [reason, count] }
    const sluice: Sluice = init(options)

    function parse(text: string): number
    function parse(text: number): string
    function parse(text: string | number): string | number { return text }
    const observed: typeof parse = sluice.observe(parse)
    const sum = sluice.observe((left: number, right: number) => left + right, {
      mapInput: (left, right) => left - right,
      mapOutput: (output) => output.toFixed(2)
    })
    const total: number = sum(1, 2)
    const words = sluice.observe(async function* () { yield 'a' }, {
      mapOutput: (output) => output.toUpperCase()
    })
    class Agent {
      @sluice.observed({ domain: 'x' })
      async answer(question: string): Promise<string> { return question }
    }
    const client = { chat: { completions: { create: async (body: { model: string }) => body } } }
    const same: typeof client = wrapOpenAI(sluice, client)
    const version: 'v3' = sluiceMiddleware(sluice, { specificationVersion: 'v3' })
      .specificationVersion
    export { Agent, observed, same, total, version, words }
  `
  for (const name of ['typed.mts', 'typed.cts']) writeFileSync(join(folder, name), source)
  // Declare the only types of the host platform that the SDK's declarations use.
  const host = 'declare class AbortSignal {}\ndeclare class AbortController {}\n'
  writeFileSync(join(folder, 'host.d.ts'), host)
  const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--typeRoots', 'none']
  const more = ['--target', 'es2022', '--lib', 'es2022,esnext.disposable', '--module', 'nodenext']
  const tsc = join(process.cwd(), 'node_modules', 'typescript', 'bin', 'tsc')
  const args = [tsc, ...flags, ...more, 'typed.mts', 'typed.cts', 'host.d.ts']
  const checked = await run(process.execPath, args, { cwd: folder }).catch(
    (error: unknown) => error
  )
  expect((checked as { stdout: string }).stdout).toBe('')
})
