/** Runs the commands of the tutorials and guides, and compares their output with the pages.
 *
 * A response must have every member that the page shows, with a value of the same type.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test } from '@jest/globals'
import { blocksIn, read } from '../docs/pages.ts'
import { onEnd } from '../support/cleanup.ts'
import { createInstallation } from '../support/installation.ts'
import { startJudgeServer } from '../support/judge-server.ts'
import { installSdk } from '../support/sdk/packed-sdk.ts'
import { sdkFolder } from '../support/sdk/python.ts'
import { differencesOf } from '../support/shape.ts'
import { createShell } from '../support/shell.ts'
import type { Shell } from '../support/shell.ts'
import { waitUntil } from '../support/wait-until.ts'

/**
 * Pages below docs/. They share one shell, so each page depends on the previous ones. `accounts`
 * registers a new user, and later pages use that user's token.
 */
const pages = [
  'tutorials/quickstart',
  'tutorials/first-judge',
  'guides/send-decisions',
  'guides/read-decisions',
  'guides/read-scores',
  'guides/push-scores',
  'guides/evaluation-runs',
  'guides/own-evaluators',
  'guides/configure-evaluation',
  'guides/onboarding',
  'guides/ingestion',
  'guides/agents-and-statistics',
  'guides/tails-and-exports',
  'guides/find-decisions',
  'guides/delete-decisions',
  'guides/dead-letter-records',
  'guides/accounts',
  'guides/api-keys',
  'guides/members'
]
const quickstart = read('docs/tutorials/quickstart.md')
const pageTimeoutMs = 240_000
/**
 * Text of commands that are skipped, because they need unavailable services or `beforeAll` does
 * their work.
 */
const elsewhere = ['https://api.openai.com', 'npm start', 'npm pack']
const refusal = '"urn:sluice:problem:'

interface Command {
  readonly heading: string
  readonly text: string
  /** Response that the page shows for this command; null if it shows none. */
  readonly shown: unknown
  readonly status: string | null
  /** Exact output that the page shows; null if it shows none. */
  readonly printed: string | null
}

const folder = mkdtempSync(join(tmpdir(), 'guides-'))
onEnd(async () => rmSync(folder, { recursive: true }))
const shell = createShell(folder)

beforeAll(async () => {
  const sluice = await createInstallation()
  const tenant = await sluice.createTenant({
    rateLimit: 1_000_000,
    scopes: ['ingest', 'evaluation:read']
  })
  const [gateway, judge] = await Promise.all([
    sluice.start('gateway', {
      REGISTRATION: 'open',
      MAIL_URL: pathToFileURL(join(folder, '.sluice', 'mail')).href
    }),
    startJudgeServer(),
    // The guide on ingestion shows an audit, which must include the decisions of earlier pages.
    sluice.start('storage', { AUDIT_INTERVAL_SECONDS: '5' }),
    sluice.start('evaluation'),
    installSdk(folder)
  ])
  onEnd(() => judge.close())
  mkdirSync(join(folder, '.sluice'))
  const { api_key, email, password, organization_id } = tenant
  const local = { base_url: gateway.url, api_key, email, password, organization_id }
  writeFileSync(join(folder, '.sluice', 'local.json'), JSON.stringify(local))
  await shell.run(`export PYTHONPATH='${join(sdkFolder, 'src')}'`)
  await shell.run(`JUDGE_URL=${judge.baseUrl} JUDGE_KEY=secret JUDGE_MODEL=small`)
  for (const [language, file] of [
    ['js', 'agent.mjs'],
    ['python', 'agent.py']
  ] as const) {
    writeFileSync(join(folder, file), blocksIn(quickstart, language)[0] ?? '')
  }
}, pageTimeoutMs)

test.each(pages)(
  'runs every command of the page %s with the documented result',
  async (page) => {
    const commands = commandsOf(read(`docs/${page}.md`))
    expect(commands.length).toBeGreaterThan(1)
    for (const command of commands) {
      const { heading, text } = command
      expect({ heading, text, wrong: await wrongIn(shell, command) }).toEqual({
        ...{ heading, text, wrong: [] }
      })
    }
  },
  pageTimeoutMs
)

/**
 * Returns the commands of a page, each with its expected output, without those that cannot run
 * here.
 */
function commandsOf(page: string): Command[] {
  return page
    .split(/^(?=#{2,} )/m)
    .flatMap((section) => {
      const heading = /^#+ (.*)$/m.exec(section)?.[1] ?? ''
      return section.split(/^(?=```sh$)/m).map((part) => [heading, part] as const)
    })
    .flatMap(([heading, part]) => {
      const [, text] = /^```sh\n([\s\S]*?)^```/m.exec(part) ?? []
      if (text === undefined || elsewhere.some((url) => text.includes(url))) return []
      return [{ heading, text, ...shownIn(part) }]
    })
}

function shownIn(part: string): Pick<Command, 'shown' | 'status' | 'printed'> {
  const [, json] = /^```json\n([\s\S]*?)^```/m.exec(part) ?? []
  const [, status = null] = /^HTTP\/1\.1 (\d+) /m.exec(part) ?? []
  const [printed = null] = blocksIn(part, 'text')
  return { shown: json === undefined ? null : JSON.parse(json), status, printed }
}

/**
 * Runs a command and returns the differences from the page. Retries read-only commands, because
 * data is stored with a delay.
 */
async function wrongIn(shell: Shell, command: Command): Promise<readonly string[]> {
  const ask = async (): Promise<readonly string[]> => {
    const { output, code } = await shell.run(command.text)
    const wrong = code === 0 ? differencesIn(command, output) : [`it ended with ${code}`]
    return wrong.length === 0 ? wrong : [...wrong, output]
  }
  let wrong = await ask()
  if (/ -(d|X|F) |--data|--request/.test(command.text)) return wrong
  await waitUntil('an answer as the page shows it', async () => {
    if (wrong.length > 0) wrong = await ask()
    return wrong.length === 0
  }).catch(() => {})
  return wrong
}

function differencesIn({ shown, status, printed }: Command, output: string): string[] {
  const isStatus = status === null || output.includes(`HTTP/1.1 ${status}`)
  const isRefused = output.includes(refusal) && !JSON.stringify(shown).includes(refusal)
  const wrong = [
    ...(isStatus ? [] : [`the status is not ${status}`]),
    ...(isRefused ? ['it was refused'] : []),
    ...(printed === null || printed === output ? [] : [`it does not print ${printed}`])
  ]
  if (shown === null) return wrong
  const body = output.slice(Math.max(0, output.search(/^[[{]/m)))
  try {
    return [...wrong, ...differencesOf(shown as never, JSON.parse(body) as never)]
  } catch {
    return [...wrong, 'the answer is no JSON']
  }
}
