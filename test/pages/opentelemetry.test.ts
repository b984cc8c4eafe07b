/** Runs the programs of the pages about OpenTelemetry, and checks the decisions that they create.
 *
 * The packages have the versions that the guide lists. Without Python, its programs are not run.
 */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { decisionIdOf } from '../../core/decision/of-span.ts'
import { blocksIn, codesIn, read, rowsOf, sectionOf } from '../docs/pages.ts'
import type { Application } from '../support/application.ts'
import { onEnd } from '../support/cleanup.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { endOffsets, waitUntilConsumed } from '../support/kafka.ts'
import { findPythonEnvironment } from '../support/python-environment.ts'
import { runWell } from '../support/run-to-end.ts'
import { findPackage } from '../support/sdk/cached-packages.ts'
import { startFakeOpenAI } from '../support/sdk/fake-openai.ts'
import type { FakeOpenAI } from '../support/sdk/fake-openai.ts'

const prepareMs = 540_000
const programMs = 60_000
/** What the programs ask, and the answer of the fake model. */
const [question, answer] = ['Where is parcel 17?', 'It arrives today.']
const versionsText = sectionOf('docs/guides/opentelemetry.md', 'Tested versions')
/** Packages that the guide names, each with its version. */
const versions = [...versionsText.matchAll(/`([^`]+)` (\d[\w.]*\w)/g)]

interface Example {
  readonly heading: string
  /** The packages of the install command with their versions, for example `openai==3.57.0`. */
  readonly packages: readonly string[]
  /** Commands that set the environment variables. */
  readonly exports: string
  readonly program: string
  /** Lines for the start of the program that export log records, if the page has them. */
  readonly logLines: string
}

/** Returns the programs of a page, each with its commands. The first section is for all of them. */
function examplesOf(page: string, language: string, separator: string): Example[] {
  const [head = '', ...sections] = read(`docs/guides/opentelemetry/${page}.md`).split(/^## /m)
  const common = blocksIn(head, 'sh').join('')
  return sections.map((section) => {
    const [install = '', ...exports] = blocksIn(section, 'sh')
      .join('')
      .replaceAll('\\\n', '')
      .split('\n')
    const [, , ...packages] = install.split(/ +/)
    const [program = '', logLines = ''] = blocksIn(section, language)
    return {
      heading: section.split('\n', 1)[0] ?? '',
      packages: packages.map((named) => withVersion(named, separator)),
      exports: [common, ...exports].join('\n'),
      program,
      logLines
    }
  })
}

/** Adds the version of the guide to a package of an install command: `ai@7` -> `ai@7.0.173`. */
function withVersion(named: string, separator: string): string {
  const [, name = '', extra = '', shown = ''] =
    /^"?(@?[^@[="]+)(\[\w+\])?(?:==|@)?([\w.]*)"?$/.exec(named) ?? []
  const found = versions.find(([, known, version]) => known === name && version?.startsWith(shown))
  if (found === undefined) throw new Error(`the guide has no version of ${named}`)
  return `${name}${extra}${separator}${found[2]}`
}

const pythonExamples = examplesOf('python', 'python', '==')
const javascriptExamples = examplesOf('javascript', 'js', '@')
const python = await findPythonEnvironment(
  'opentelemetry',
  ...new Set(pythonExamples.flatMap(({ packages }) => packages))
)
if (python === null) process.stderr.write('The OpenTelemetry programs in Python are not run.\n')
const describeWithPython = python === null ? describe.skip : describe

const folder = mkdtempSync(join(tmpdir(), 'sluice-opentelemetry-'))
let sluice: Installation
let gateway: Application
let openai: FakeOpenAI

beforeAll(async () => {
  openai = await startFakeOpenAI()
  onEnd(async () => {
    openai.close()
    rmSync(folder, { recursive: true })
  })
  sluice = await createInstallation()
  ;[gateway] = await Promise.all([sluice.start('gateway'), sluice.start('storage')])
}, prepareMs)

/** What a program sets besides its session, and which of its spans become decisions. */
interface Expected {
  readonly agentId: 'parcels' | 'shop'
  readonly kinds: readonly string[]
}

const expectations: Readonly<Record<string, Expected>> = {
  'OpenInference for OpenAI': { agentId: 'shop', kinds: ['generation'] },
  'OpenInference for LangChain': {
    agentId: 'shop',
    kinds: ['agent', 'generation', 'generation']
  },
  'OpenLLMetry (Traceloop) for OpenAI': { agentId: 'parcels', kinds: ['agent', 'generation'] },
  'Pydantic AI': { agentId: 'parcels', kinds: ['agent', 'generation', 'generation'] },
  'OpenTelemetry for OpenAI': { agentId: 'parcels', kinds: ['generation'] },
  'AI SDK 7': { agentId: 'parcels', kinds: ['agent', 'generation', 'generation'] },
  'AI SDK 6': { agentId: 'parcels', kinds: ['agent', 'generation', 'generation'] },
  'OpenTelemetry for OpenAI (JavaScript)': {
    agentId: 'parcels',
    kinds: ['generation', 'generation']
  }
}

test('the guide lists every program', () => {
  const headings = [...pythonExamples, ...javascriptExamples].map(({ heading }) => heading)
  expect(headings).toEqual(Object.keys(expectations))
  expect(rowsOf(versionsText).map(([link = '']) => /\[(.*)\]/.exec(link)?.[1])).toEqual(headings)
})

/** Runs the program in a folder of its own, with the commands of the page. */
async function runExample({ exports, program }: Example, tenant: Tenant, file: string) {
  writeFileSync(join(folder, file), program)
  const commands = `set -eu\n${exports}\n"$0" ${file}`
  const interpreter = file.endsWith('.py') ? join(python ?? '', 'python') : process.execPath
  return await runWell(
    'bash',
    ['-c', commands.replaceAll('http://127.0.0.1:8080', gateway.url), interpreter],
    {
      cwd: folder,
      timeout: programMs,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        API_KEY: tenant.api_key,
        OPENAI_API_KEY: 'secret',
        OPENAI_BASE_URL: openai.url
      }
    }
  )
}

interface StoredDecision {
  readonly decision_id: string
  readonly agent_id: string
  readonly session_id: string | null
  readonly input: string
  readonly output: string
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly metadata: {
    readonly kind: string
    readonly trace_id: string
    readonly model?: string
    readonly parent_decision_id?: string
    readonly otel: { readonly span_id: string; readonly dialect: string }
  }
}

/** Returns the decisions of a tenant, agents first and then by time. */
async function storedOf(tenant: Tenant): Promise<StoredDecision[]> {
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
  const rows = await sluice.database.query(
    `select decision_id, agent_id, session_id, input, output, metadata,
            input_tokens::integer, output_tokens::integer
       from decisions where organization_id = $1
      order by metadata::json ->> 'kind', metadata::json ->> 'occurred_at'`,
    [tenant.organization_id]
  )
  return rows.map((row) => {
    const metadata: unknown = JSON.parse(String(row['metadata']))
    return { ...row, metadata } as unknown as StoredDecision
  })
}

/** Returns the dialects that the guide lists for a program. */
function dialectsOf(heading: string): string[] {
  const row = rowsOf(versionsText).find(([link]) => link?.startsWith(`[${heading}]`))
  return codesIn(row?.[2] ?? '').toSorted()
}

/** Runs a program and checks what it leaves in the database. */
async function check(example: Example, file: string): Promise<void> {
  const { agentId, kinds } = expectations[example.heading] as Expected
  const tenant = await sluice.createTenant()
  openai.usages.splice(0)
  expect(await runExample(example, tenant, file)).toContain(answer)
  const stored = await storedOf(tenant)
  expect(stored.map(({ metadata }) => metadata.kind)).toEqual(kinds)
  const dialects = new Set(stored.map(({ metadata }) => metadata.otel.dialect))
  expect([...dialects].toSorted()).toEqual(dialectsOf(example.heading))
  for (const decision of stored) {
    expect(decision).toMatchObject({ agent_id: agentId, session_id: 'chat-1' })
    expect(decision.input).toContain(question)
    const { trace_id: traceId, otel } = decision.metadata
    expect(decision.decision_id).toBe(decisionIdOf(`${traceId}:${otel.span_id}`))
  }
  const calls = stored.filter(({ metadata }) => metadata.kind === 'generation')
  expect(calls.map(modelAndTokensOf)).toEqual(
    openai.usages.map(({ prompt_tokens: input, completion_tokens: output }) => [
      'm-1',
      input,
      output
    ])
  )
  // The calls before the last one may ask for a tool.
  expect(JSON.parse(calls.at(-1)?.output ?? '')).toBe(answer)
  checkAgents(stored)
}

function modelAndTokensOf({
  metadata,
  input_tokens: input,
  output_tokens: output
}: StoredDecision) {
  return [metadata.model, input, output]
}

/** Checks that calls are children of the agent, which has the answer but no tokens of its own. */
function checkAgents(stored: readonly StoredDecision[]): void {
  const agent = stored.find(({ metadata }) => metadata.kind === 'agent')
  const calls = stored.filter((each) => each !== agent)
  const parents = calls.map(({ metadata }) => metadata.parent_decision_id)
  expect(parents).toEqual(calls.map(() => agent?.decision_id))
  if (agent === undefined) return
  expect(agent).toMatchObject({ input_tokens: null, output_tokens: null })
  expect(agent.output).toContain(answer)
}

describeWithPython('in Python', () => {
  test.each(pythonExamples)('$heading: the program sends its decisions', async (example) => {
    await check(example, 'agent.py')
  })

  test.each([
    ['EVENT_ONLY', 1n],
    ['SPAN_AND_EVENT', 2n]
  ])('with %s, log records become the same decision', async (mode, records) => {
    const example = pythonExamples.find(({ logLines }) => logLines !== '') as Example
    const exports = example.exports.replace('SPAN_ONLY', mode)
    const program = example.logLines + example.program
    const before = await sumOfOffsets(sluice.topics.decisions)
    await check({ ...example, exports, program }, 'agent.py')
    expect((await sumOfOffsets(sluice.topics.decisions)) - before).toBe(records)
    expect(await sumOfOffsets(sluice.topics.decisionsDeadLetter)).toBe(0n)
  })
})

async function sumOfOffsets(topic: string): Promise<bigint> {
  return [...(await endOffsets(topic)).values()].reduce((sum, end) => sum + end, 0n)
}

describe('in JavaScript', () => {
  test.each(javascriptExamples)(
    '$heading: the program sends its decisions',
    async (example) => {
      const modules = join(folder, 'node_modules')
      rmSync(modules, { force: true })
      symlinkSync(join(await findPackage(...example.packages), 'node_modules'), modules)
      await check(example, 'agent.mjs')
    },
    prepareMs
  )
})
