#!/usr/bin/env node
/** `npx @sluice/sdk doctor`: diagnoses why decisions do not arrive. */
import { parseArgs } from 'node:util'
import { createNodePlatform } from '../node-platform.ts'
import { resolveSettings } from '../resolve-settings.ts'
import { sdkVersion } from '../sdk-version.ts'
import { createUuidV7 } from '../uuid-v7.ts'
import { runChecks } from './run-checks.ts'
import type { CheckInput } from './run-checks.ts'
import type { Finding } from './finding.ts'

const help = `sluice-sdk doctor [--base-url URL] [--wait SECONDS] [--json]

Checks each step that a decision passes on its way to storage, and says how to fix what fails.

  --base-url URL   URL of the gateway (default: SLUICE_BASE_URL)
  --wait SECONDS   maximum time to wait until the test decision is stored (default: 30)
  --json           print one JSON object

The API key and the URL are read from SLUICE_API_KEY and SLUICE_BASE_URL, as by your program.
The command sends one decision of the agent sluice-doctor. It exits with 0 if all checks passed,
otherwise with 1.
`
const marks = { ok: '✓', failed: '✗', skipped: '–' }
const options = {
  'base-url': { type: 'string' },
  wait: { type: 'string', default: '30' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false }
} as const

function print(...lines: string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

function settingsFor(baseUrl: string | undefined, waitSeconds: number): CheckInput {
  const warnings: string[] = []
  const warn = (line: string): void => void warnings.push(line.replace(/^sluice: /, ''))
  const platform = { ...createNodePlatform(), warn }
  const settings = resolveSettings(baseUrl === undefined ? {} : { baseUrl }, platform)
  return { ...settings, warnings, waitSeconds, createId: createUuidV7(platform) }
}

function linesOf({ check, state, detail, hint }: Finding): string[] {
  const line = `${marks[state]} ${check.padEnd(10)} ${detail}`
  return hint === null ? [line] : [line, `    → ${hint}`]
}

async function report(checkInput: CheckInput, isJson: boolean): Promise<number> {
  const checks: Finding[] = []
  if (!isJson) print(`sluice doctor, ${sdkVersion}`)
  for await (const finding of runChecks(checkInput)) {
    checks.push(finding)
    if (!isJson) print(...linesOf(finding))
  }
  const isPassed = checks.every(({ state }) => state !== 'failed')
  if (isJson) print(JSON.stringify({ ok: isPassed, sdk_version: sdkVersion, checks }, null, 2))
  else print(isPassed ? 'All checks passed.' : 'Some checks failed: see the lines above.')
  return isPassed ? 0 : 1
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const waitSeconds = Number(values.wait)
  const isValid = positionals.join() === 'doctor' && waitSeconds >= 0
  if (values.help || !isValid) {
    if (!values.help && args.length > 0) {
      process.stderr.write(`sluice-sdk: invalid arguments: ${args.join(' ')}\n`)
    }
    print(help.trimEnd())
    return values.help ? 0 : 1
  }
  return await report(settingsFor(values['base-url'], waitSeconds), values.json)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
