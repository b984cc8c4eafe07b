/** Real services for a benchmark, with topics, tables and an organization without a limit. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { environmentOf } from '../stack/processes/applications.ts'
import { parseBootstrap } from '../stack/tour/credentials.ts'
import { preflight, thisMachine } from '../stack/preflight.ts'
import { keepSecrets } from '../stack/secrets.ts'
import { chooseMode, startServices } from '../stack/services.ts'
import { runSluice } from '../stack/sluice-command.ts'
import { createSupervisor } from '../stack/processes/supervisor.ts'
import type { Bench, Program } from './row.ts'

export interface OpenBench extends Bench {
  /** Records in the topic now. */
  countRecords(topic: string): Promise<number>
  /** Ends one of the processes that a row has started. */
  end(name: string): Promise<void>
  stop(): Promise<void>
}

export interface BenchSettings {
  readonly say: (line: string) => void
  readonly signal: AbortSignal
  readonly nodeFlags: readonly string[]
}

/** kafkajs asks for timers in the past, which does no harm; Node 24 complains about each. */
const quiet = '--disable-warning=TimeoutNegativeWarning'
/** Of a store that nobody else reaches, and that is thrown away. */
export const benchLogin = { email: 'bench@sluice.local', password: 'known to everybody' }
const rateLimit = '1000000000'
const readyTimeoutMs = 30_000
const stopDeadlineMs = 15_000
const countTimeoutMs = 30_000

/** What has been started, in the order of its start. */
type Stops = (() => Promise<void>)[]

/** What was started before something failed is stopped again. */
export async function openBench(settings: BenchSettings): Promise<OpenBench> {
  const stops: Stops = []
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).toReversed()) await one()
  }
  try {
    return { ...(await open(settings, stops)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function open(settings: BenchSettings, stops: Stops): Promise<Omit<OpenBench, 'stop'>> {
  const { signal, nodeFlags } = settings
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  stops.push(async () => rmSync(folder, { recursive: true, force: true }))
  const environment = await startStores(folder, settings, stops)
  const apiKey = await prepare(environment, signal)
  const supervisor = createSupervisor({ folder, name: 'bench', signal })
  stops.push(() => supervisor.stopAll())

  return {
    folder,
    environment,
    apiKey,
    nodeFlags,
    say: settings.say,
    signal,
    applyTopic: async (topic) => {
      const args = ['topics', 'apply']
      await runSluice({ args, environment: { ...environment, DECISIONS_TOPIC: topic }, signal })
    },
    onStop: (stop) => void stops.push(stop),
    run: (program) => supervisor.start(specOf(program)),
    end: (name) => supervisor.stop(name),
    countRecords: (topic) => countRecords(topic, environment)
  }
}

function specOf(program: Program) {
  const title = `The row ${program.name}`
  const limits = { readyTimeoutMs, stopDeadlineMs }
  if (program.command !== undefined)
    return { ...program, command: program.command, title, ...limits }
  const args = [quiet, ...program.args]
  return { ...program, title, command: process.execPath, args, ...limits }
}

async function startStores(
  folder: string,
  { say, signal }: BenchSettings,
  stops: Stops
): Promise<NodeJS.ProcessEnv> {
  const { mode, reason } = await chooseMode(process.env['SLUICE_STACK'])
  preflight(mode, thisMachine(folder))
  say(`services: ${mode} (${reason})`)
  const services = await startServices({
    mode,
    folder,
    ephemeral: true,
    signal,
    onProgress: ({ service, state, detail }) => say(`  ${service} is ${state} ${detail}`.trimEnd()),
    onCrash: (crash) => say(`! ${crash.message}`)
  })
  stops.push(() => services.stop())
  const secrets = keepSecrets(join(folder, 'secrets.json'))
  return { ...environmentOf(services.addresses, secrets), LOG_LEVEL: 'warn' }
}

/** Resolves with an API key without a limit. */
async function prepare(environment: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> {
  const sluice = (...args: string[]): Promise<string> => runSluice({ args, environment, signal })
  await Promise.all([sluice('migrate'), sluice('topics', 'apply'), sluice('schemas', 'register')])
  const { email, password } = benchLogin
  const login = ['--organization', 'Bench', '--email', email, '--password', password]
  const said = await sluice('bootstrap', ...login, '--rate-limit', rateLimit, '--json')
  return parseBootstrap(said).api_key
}

async function countRecords(topic: string, env: NodeJS.ProcessEnv): Promise<number> {
  const args = [quiet, 'bench/system/count-records.ts', topic]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env,
    timeout: countTimeoutMs
  })
  return Number(stdout)
}
