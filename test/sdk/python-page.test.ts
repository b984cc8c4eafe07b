/** Tests the pages of the Python SDK: installs the package, runs each example against a gateway,
 * compares its output with the page, and runs the doctor.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { blocksIn, code, read, rowsOf, sectionOf } from '../docs/pages.ts'
import { onEnd } from '../support/cleanup.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { startModelServer } from '../support/sdk/model-server.ts'
import { run } from '../support/run-to-end.ts'
import { buildSdk, findPythonTools, installWheel } from '../support/sdk/python.ts'
import { waitUntil } from '../support/wait-until.ts'

const page = 'sdk/python/README.md'
const reference = 'sdk/python/docs/reference.md'
const pages = [page, 'sdk/python/docs/processes.md', reference]
const timeoutMs = 9 * 60_000
const folder = mkdtempSync(join(tmpdir(), 'sluice-python-page-'))
onEnd(async () => rmSync(folder, { recursive: true }))

type Option = {
  readonly name: string
  readonly env: string
  readonly default: unknown
  readonly choices?: readonly string[]
  readonly type: string
  readonly min?: number
  readonly max?: number
  readonly about: string
}
const conformance = JSON.parse(read('sdk/conformance/options.json')) as {
  readonly options: readonly Option[]
  readonly drop_reasons: Readonly<Record<string, string>>
}

describe('tables of the reference', () => {
  test('list every option that the SDKs share', () => {
    const existing = conformance.options.map((option) => [
      code(option.name),
      code(option.env),
      option.default === null ? 'none' : code(option.default),
      acceptedBy(option),
      option.about
    ])
    expect(rowsOf(sectionOf(reference, 'Options'))).toEqual(existing)
  })

  test('list every drop reason that the SDKs share', () => {
    const rows = rowsOf(sectionOf(reference, 'Drop reasons'))
    const existing = Object.entries(conformance.drop_reasons)
    expect(rows).toEqual(existing.map(([name, about]) => [code(name), about]))
  })
})

function acceptedBy({ type, choices = [], min, max }: Option): string {
  const forms: Readonly<Record<string, string>> = {
    text: 'text',
    url: 'a URL',
    flag: '`true`, `false`',
    choice: choices.map(code).join(', ')
  }
  return forms[type] ?? `${min} to ${max}`
}

interface Example {
  readonly heading: string
  readonly language: string
  readonly text: string
  /** Output shown on the page; null if it shows none. */
  readonly shown: string | null
}

/** Returns each runnable code block with the output shown after it. */
function examplesIn(text: string): Example[] {
  return text.split(/^(?=## )/m).flatMap((section) => {
    const heading = /^## (.*)$/m.exec(section)?.[1] ?? ''
    return section.split(/^(?=```(?:sh|python)$)/m).flatMap((part) => {
      const [, language, block] = /^```(sh|python)\n([\s\S]*?)^```/m.exec(part) ?? []
      if (language === undefined || block === undefined) return []
      return [{ heading, language, text: block, shown: blocksIn(part, 'text')[0] ?? null }]
    })
  })
}

const examples = pages.flatMap((path) => examplesIn(read(path)))

test('the pages have examples, and show the output of most', () => {
  expect(examples.length).toBeGreaterThan(10)
  expect(examples.filter(({ shown }) => shown !== null).length).toBeGreaterThan(8)
})

const found = await findPythonTools()
if (found === null) process.stderr.write('The examples of sdk/python/README.md are not run.\n')
const tools = found ?? ''
const describeIfTools = found === null ? describe.skip : describe

describeIfTools('with a gateway', () => {
  let sluice: Installation
  let tenant: Tenant
  let environment: NodeJS.ProcessEnv

  beforeAll(async () => {
    sluice = await createInstallation()
    tenant = await sluice.createTenant()
    const [gateway, , modelUrl, bin] = await Promise.all([
      sluice.start('gateway'),
      sluice.start('storage'),
      startModelServer(),
      installAsThePageSays()
    ])
    environment = {
      PATH: `${bin}:${process.env['PATH']}`,
      SLUICE_BASE_URL: gateway.url,
      SLUICE_API_KEY: tenant.api_key,
      OPENAI_BASE_URL: modelUrl,
      OPENAI_API_KEY: 'none'
    }
  }, timeoutMs)

  async function storedCount(agent_id: string): Promise<number> {
    const rows = await sluice.database.query<{ count: string }>(
      'select count(*) from decisions where agent_id = $1',
      [agent_id]
    )
    return Number(rows[0]?.count)
  }

  test(
    'every example prints what the page shows and stores what it logs',
    async () => {
      for (const [index, { heading, language, text, shown }] of examples.entries()) {
        const file = join(folder, `example-${index}.${language === 'sh' ? 'sh' : 'py'}`)
        writeFileSync(file, language === 'sh' ? settled(text, environment) : text)
        const args = [...(language === 'sh' ? ['-e'] : []), file]
        const program = language === 'sh' ? 'bash' : 'python'
        const ended = await run(program, args, { env: environment, cwd: folder })
        const expected = shown ?? expect.any(String)
        expect({ heading, text, ...ended }).toEqual({ heading, text, code: 0, output: expected })
      }
      const flushed = examples
        .filter(({ shown }) => shown !== null && !shown.includes("['Flush"))
        .flatMap(({ shown }) => [...(shown ?? '').matchAll(/sent=(\d+)/g)])
      // The output of three examples (quickstart, monitoring and serverless) contains no flush
      // result. Each of them logs one decision.
      const sent = flushed.reduce((sum, [, count]) => sum + Number(count), 0) + 3
      await waitUntil(
        'the decisions of the pages are stored',
        async () => (await storedCount('support')) === sent
      )
      expect(await storedCount('worker')).toBe(4)
    },
    timeoutMs
  )

  test(
    'the doctor passes with a valid key and reports a key without the scope ingest',
    async () => {
      const passing = await run('sluice-sdk', ['doctor', '--json'], { env: environment })
      const { checks } = JSON.parse(passing.output) as {
        checks: { check: string; state: string }[]
      }
      const names = ['settings', 'key', 'dns', 'connection', 'scope', 'clock', 'send', 'stored']
      expect(checks).toEqual(names.map((check) => expect.objectContaining({ check, state: 'ok' })))
      expect(passing.code).toBe(0)

      const reader = await sluice.createTenant({ scopes: ['evaluation:read'] })
      const env = { ...environment, SLUICE_API_KEY: reader.api_key }
      const failing = await run('sluice-sdk', ['doctor'], { env })
      expect(failing.code).toBe(1)
      expect(failing.output).toContain('lacks the scope ingest; its scopes: evaluation:read\n')
      expect(failing.output).toContain('→ Create an API key with the scope ingest.')
      expect(passing.output + failing.output).not.toContain(tenant.api_key.slice(-20))
      expect(failing.output).not.toContain(reader.api_key.slice(-20))
    },
    timeoutMs
  )
})

/**
 * Creates a Python environment with the libraries that the page uses and a `pip` that finds the
 * built package. Resolves with its `bin` folder.
 */
async function installAsThePageSays(): Promise<string> {
  const built = join(folder, 'built')
  const [wheel] = await buildSdk(tools, built)
  const bin = await installWheel(tools, wheel, join(folder, 'python'))
  const pip = join(bin, 'pip')
  const args = `--python "${join(bin, 'python')}" "$@" --no-index --find-links "${built}"`
  writeFileSync(pip, `#!/bin/sh\nexec "${join(tools, 'pip')}" ${args} --force-reinstall --quiet\n`)
  chmodSync(pip, 0o755)
  const libraries = packagesBeside(tools)
  writeFileSync(join(packagesBeside(bin), 'libraries.pth'), `${libraries}\n`)
  return bin
}

/** Returns the site-packages folder of the Python environment that contains `bin`. */
function packagesBeside(bin: string): string {
  const lib = join(dirname(bin), 'lib')
  const [version = ''] = readdirSync(lib)
  return join(lib, version, 'site-packages')
}

/**
 * Replaces example values of exported variables with real ones, and the path of the SDK sources
 * with the package name.
 */
function settled(text: string, environment: NodeJS.ProcessEnv): string {
  return text
    .replace('./sdk/python', 'sluice-sdk')
    .replaceAll(/^export (\w+)=.*$/gm, (_, name: string) => {
      return `export ${name}='${environment[name]}'`
    })
}
