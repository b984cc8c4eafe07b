/** The page of the Python SDK, run: the package installed as it says, each example against a
 * gateway, what it printed compared with what is shown, and the doctor with all that it looks for.
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

describe('the tables of the page', () => {
  test('options are those of both SDKs', () => {
    const existing = conformance.options.map((option) => [
      code(option.name),
      code(option.env),
      option.default === null ? 'none' : code(option.default),
      acceptedBy(option),
      option.about
    ])
    expect(rowsOf(sectionOf(page, 'Options'))).toEqual(existing)
  })

  test('reasons of drops are those of both SDKs', () => {
    const names = new Set(Object.keys(conformance.drop_reasons).map(code))
    const rows = rowsOf(sectionOf(page, 'What happens when')).filter(([name]) =>
      names.has(name ?? '')
    )
    const existing = Object.entries(conformance.drop_reasons)
    expect(rows).toEqual(existing.map(([name, about]) => [code(name), about]))
  })
})

function acceptedBy({ type, choices = [], min, max }: Option): string {
  const forms: Readonly<Record<string, string>> = {
    text: 'text',
    url: 'an address',
    flag: '`true`, `false`',
    choice: choices.map(code).join(', ')
  }
  return forms[type] ?? `${min} to ${max}`
}

interface Example {
  readonly heading: string
  readonly language: string
  readonly text: string
  /** What the page shows of its output. */
  readonly shown: string | null
}

/** Each block that can be run, with what is shown right behind it. */
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

const examples = examplesIn(read(page))

test('the page has examples, and shows what most of them print', () => {
  expect(examples.length).toBeGreaterThan(10)
  expect(examples.filter(({ shown }) => shown !== null).length).toBeGreaterThan(8)
})

const found = await findPythonTools()
if (found === null) process.stderr.write('The page of sdk/python is not run.\n')
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
    'every example does what the page shows, and what it logged is stored',
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
      // Those that show no flush log one each: the first one, the one for serverless, the last.
      const sent = flushed.reduce((sum, [, count]) => sum + Number(count), 0) + 3
      await waitUntil('what the page logged', async () => (await storedCount('support')) === sent)
      expect(await storedCount('worker')).toBe(4)
    },
    timeoutMs
  )

  test(
    'the doctor finds a well gateway well, and says what is wrong with a key that is not',
    async () => {
      const well = await run('sluice-sdk', ['doctor', '--json'], { env: environment })
      const { checks } = JSON.parse(well.output) as { checks: { check: string; state: string }[] }
      const names = ['settings', 'key', 'dns', 'connection', 'scope', 'clock', 'send', 'stored']
      expect(checks).toEqual(names.map((check) => expect.objectContaining({ check, state: 'ok' })))
      expect(well.code).toBe(0)

      const reader = await sluice.createTenant({ scopes: ['evaluation:read'] })
      const env = { ...environment, SLUICE_API_KEY: reader.api_key }
      const ill = await run('sluice-sdk', ['doctor'], { env })
      expect(ill.code).toBe(1)
      expect(ill.output).toContain('may only evaluation:read\n')
      expect(ill.output).toContain('→ Make a key with the scope ingest.')
      expect(well.output + ill.output).not.toContain(tenant.api_key.slice(-20))
      expect(ill.output).not.toContain(reader.api_key.slice(-20))
    },
    timeoutMs
  )
})

/**
 * Python with the libraries of the page and a `pip` that finds our package where we built it;
 * resolves with its folder of programs.
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

/** .../bin -> .../lib/python3.11/site-packages */
function packagesBeside(bin: string): string {
  const lib = join(dirname(bin), 'lib')
  const [version = ''] = readdirSync(lib)
  return join(lib, version, 'site-packages')
}

/** The address and the key of a page are examples. */
function settled(text: string, environment: NodeJS.ProcessEnv): string {
  return text.replaceAll(/^export (\w+)=.*$/gm, (_, name: string) => {
    return `export ${name}='${environment[name]}'`
  })
}
