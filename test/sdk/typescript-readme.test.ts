/** Tests that the pages of the TypeScript SDK have complete tables, and that their examples print
 * the shown output.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import ts from 'typescript'
import options from '../../sdk/conformance/options.json' with { type: 'json' }
import { blocksIn, code, read, rowsOf, sectionOf } from '../docs/pages.ts'
import { startAcceptingGateway } from '../support/sdk/accepting-gateway.ts'
import type { AcceptingGateway } from '../support/sdk/accepting-gateway.ts'
import { findPackage } from '../support/sdk/cached-packages.ts'
import { startFakeOpenAI } from '../support/sdk/fake-openai.ts'
import type { FakeOpenAI } from '../support/sdk/fake-openai.ts'
import { installSdk } from '../support/sdk/packed-sdk.ts'

const run = promisify(execFile)
const page = 'sdk/typescript/README.md'
const reference = 'sdk/typescript/docs/reference.md'
const pages = [page, reference, 'sdk/typescript/docs/serverless.md']
const prepareMs = 240_000
/**
 * Packages for the AI SDK example, including its OpenAI client. They are too large to be
 * dependencies.
 */
const aiPackages = ['ai@7.0.173', '@ai-sdk/openai@4.0.118']
const folder = mkdtempSync(join(tmpdir(), 'sluice-readme-'))
let gateway: AcceptingGateway
let openai: FakeOpenAI

beforeAll(async () => {
  await installSdk(folder)
  gateway = await startAcceptingGateway()
  openai = await startFakeOpenAI()
  const modules = join(await findPackage(...aiPackages), 'node_modules')
  mkdirSync(join(folder, 'node_modules', '@ai-sdk'))
  for (const name of ['ai', '@ai-sdk/openai']) {
    symlinkSync(join(modules, name), join(folder, 'node_modules', name))
  }
  symlinkSync(join(process.cwd(), 'node_modules/openai'), join(folder, 'node_modules/openai'))
  symlinkSync(join(process.cwd(), 'node_modules/@types'), join(folder, 'node_modules/@types'))
}, prepareMs)
beforeEach(() => void gateway.decisions.splice(0))
afterAll(() => {
  gateway.close()
  openai.close()
  rmSync(folder, { recursive: true })
})

interface Example {
  readonly heading: string
  readonly text: string
  /** Output shown on the page; null if it shows none. */
  readonly printed: string | null
}

function examplesIn(text: string): Example[] {
  return text.split(/^(?=## )/m).flatMap((section) => {
    const heading = /^#+ (.*)$/m.exec(section)?.[1] ?? ''
    return section.split(/^(?=```ts$)/m).flatMap((part) => {
      const [program] = blocksIn(part, 'ts')
      const [printed = null] = /^```ts\n[\s\S]*?^```\n+(?=```text)/m.test(part)
        ? blocksIn(part, 'text')
        : []
      return program === undefined ? [] : [{ heading, text: program, printed }]
    })
  })
}

const examples = pages
  .flatMap((path) => examplesIn(read(path)))
  .map((example, at) => ({ ...example, at }))

/** Program that calls the handler exported by an example, as a serverless platform does. */
const host = `
  const { handler, default: worker } = await import(process.argv[2])
  await handler?.({ question: 'Where is my parcel?' })
  const waited = []
  const waitUntil = (promise) => waited.push(promise)
  await worker?.fetch(new Request('https://example.com/parcel'), process.env, { waitUntil })
  await Promise.all(waited)
`

test('has examples', () => {
  expect(examples.length).toBeGreaterThan(10)
  expect(examples.filter(({ printed }) => printed !== null).length).toBeGreaterThan(7)
})

test('has examples that pass type checking', async () => {
  const names = examples.map(({ at, text }) => {
    writeFileSync(join(folder, `${at}.mts`), text)
    return `${at}.mts`
  })
  const tsc = join(process.cwd(), 'node_modules', 'typescript', 'bin', 'tsc')
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022']
  const libraries = ['--module', 'nodenext', '--types', 'node', '--lib', 'es2022,esnext.disposable']
  const args = [tsc, ...flags, ...libraries, ...names]
  const checked = await run(process.execPath, args, { cwd: folder }).catch(
    (error: unknown) => error
  )
  expect((checked as { stdout: string }).stdout).toBe('')
}, 120_000)

test.each(examples)('$heading: example $at', async ({ at, text, printed }) => {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  writeFileSync(join(folder, `${at}.mjs`), ts.transpileModule(text, { compilerOptions }).outputText)
  writeFileSync(join(folder, 'host.mjs'), host)
  const env = {
    SLUICE_API_KEY: 'slk_test_key',
    SLUICE_BASE_URL: gateway.url,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: openai.url
  }
  const output = await run(process.execPath, ['host.mjs', `./${at}.mjs`], { cwd: folder, env })
  expect(output.stderr).toBe('')
  expect(output.stdout).toBe(printed ?? '')
  expect(gateway.decisions.length).toBeGreaterThan(0)
  expect(gateway.decisions).toEqual(
    gateway.decisions.map(() => expect.objectContaining({ agent_id: 'support' }))
  )
})

function camelCased(name: string): string {
  return name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

interface OptionRow {
  readonly name: string
  readonly env: string
  readonly type: string
  readonly default: unknown
  readonly about: string
  readonly choices?: readonly string[]
  readonly min?: number
  readonly max?: number
}

function acceptedBy({ type, choices = [], min, max }: OptionRow): string {
  if (min !== undefined) return `${min} to ${max}`
  if (type === 'choice') return choices.map(code).join(', ')
  return type === 'flag' ? '`true`, `false`' : type === 'url' ? 'a URL' : 'text'
}

test('lists every option with its environment variable, default and accepted values', () => {
  const existing = (options.options as readonly OptionRow[]).map((row) => [
    code(camelCased(row.name)),
    code(row.env),
    row.default === null ? 'none' : code(row.default),
    acceptedBy(row),
    row.about
  ])
  expect(rowsOf(sectionOf(reference, 'Options'))).toEqual(existing)
  for (const name of options.callbacks) {
    expect(sectionOf(reference, 'Options')).toContain(`\`${camelCased(name)}`)
  }
})

test('lists every drop reason', () => {
  const existing = Object.entries(options.drop_reasons).map(([name, about]) => [code(name), about])
  expect(rowsOf(sectionOf(reference, 'Drop reasons'))).toEqual(existing)
})
