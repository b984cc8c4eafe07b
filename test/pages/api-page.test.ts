/** The pages that walk the API, walked: each of their commands, in order, in one shell for all.
 *
 * Where a page shows what a command answered, the answer has all that is shown: every member, of
 * the same kind.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, test } from '@jest/globals'
import { read } from '../docs/pages.ts'
import { onEnd } from '../support/cleanup.ts'
import { createInstallation } from '../support/installation.ts'
import { differencesOf } from '../support/shape.ts'
import { createShell } from '../support/shell.ts'
import type { Shell } from '../support/shell.ts'
import { waitUntil } from '../support/wait-until.ts'

/** Each goes on where the one before it ends; the last registers anew. */
const pages = ['api', 'onboarding', 'profiles', 'streams', 'decisions', 'accounts']
const pageTimeoutMs = 240_000
/** What a page says of a service that is not here. */
const elsewhere = ['https://api.openai.com', 'https://judge.example.com']
const refusal = '"urn:sluice:problem:'

interface Command {
  readonly heading: string
  readonly text: string
  /** What the page shows of the answer; null where it shows nothing, or another command's. */
  readonly shown: unknown
  readonly status: string | null
}

const folder = mkdtempSync(join(tmpdir(), 'api-page-'))
onEnd(async () => rmSync(folder, { recursive: true }))
const shell = createShell(folder)

beforeAll(async () => {
  const sluice = await createInstallation()
  const tenant = await sluice.createTenant({
    rateLimit: 1_000_000,
    scopes: ['ingest', 'evaluation:read']
  })
  const [gateway] = await Promise.all([
    sluice.start('gateway', {
      REGISTRATION: 'open',
      MAIL_URL: pathToFileURL(join(folder, '.sluice', 'mail')).href
    }),
    sluice.start('storage'),
    sluice.start('evaluation')
  ])
  mkdirSync(join(folder, '.sluice'))
  const { api_key, email, password, organization_id } = tenant
  const local = { base_url: gateway.url, api_key, email, password, organization_id }
  writeFileSync(join(folder, '.sluice', 'local.json'), JSON.stringify(local))
}, pageTimeoutMs)

test.each(pages)(
  'every command of the page %s does what it says',
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

/** The commands of a page that can be run here, each with what follows it in its section. */
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

function shownIn(part: string): Pick<Command, 'shown' | 'status'> {
  const [, json] = /^```json\n([\s\S]*?)^```/m.exec(part) ?? []
  const [, status = null] = /^HTTP\/1\.1 (\d+) /m.exec(part) ?? []
  return { shown: json === undefined ? null : JSON.parse(json), status }
}

/** What is stored is shown a moment later, so what changes nothing is asked again. */
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

function differencesIn({ shown, status }: Command, output: string): string[] {
  const isStatus = status === null || output.includes(`HTTP/1.1 ${status}`)
  const isRefused = output.includes(refusal) && !JSON.stringify(shown).includes(refusal)
  const wrong = [
    ...(isStatus ? [] : [`the status is not ${status}`]),
    ...(isRefused ? ['it was refused'] : [])
  ]
  if (shown === null) return wrong
  const body = output.slice(Math.max(0, output.search(/^[[{]/m)))
  try {
    return [...wrong, ...differencesOf(shown as never, JSON.parse(body) as never)]
  } catch {
    return [...wrong, 'the answer is no JSON']
  }
}
