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
import { chooseMode, removeData, startServices } from '../stack/services.ts'
import type { Services } from '../stack/services.ts'
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
  /** The sources that our own programs run from; this checkout when left out. */
  readonly checkout?: string
  /** Services write to disk as those of a deployment do. */
  readonly isDurable?: boolean
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
  const { signal, nodeFlags, checkout = process.cwd() } = settings
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  stops.push(async () => rmSync(folder, { recursive: true, force: true }))
  const services = await startStores(folder, settings, stops)
  const secrets = keepSecrets(join(folder, 'secrets.json'))
  const environment = { ...environmentOf(services.addresses, secrets), LOG_LEVEL: 'warn' }
  const sluice = (env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> =>
    runSluice({ args, environment: env, signal, cwd: checkout })
  const apiKey = await prepare((...args) => sluice(environment, ...args))
  const supervisor = createSupervisor({ folder, name: 'bench', signal })
  stops.push(() => supervisor.stopAll())

  return {
    folder,
    environment,
    checkout,
    apiKey,
    nodeFlags,
    say: settings.say,
    signal,
    applyTopic: async (topic) => {
      await sluice({ ...environment, DECISIONS_TOPIC: topic }, 'topics', 'apply')
    },
    servicePid: (name) => {
      const pid = services.pids()[name]
      if (pid === undefined) throw new Error(`${name} is no process of this machine: use native`)
      return pid
    },
    onStop: (stop) => void stops.push(stop),
    run: (program) => supervisor.start({ ...specOf(program), cwd: checkout }),
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
  { say, signal, isDurable = false }: BenchSettings,
  stops: Stops
): Promise<Services> {
  const { mode, reason } = await chooseMode(process.env['SLUICE_STACK'])
  preflight(mode, thisMachine(folder))
  say(`services: ${mode} (${reason})`)
  const services = await startServices({
    mode,
    folder,
    ephemeral: !isDurable,
    signal,
    onProgress: ({ service, state, detail }) => say(`  ${service} is ${state} ${detail}`.trimEnd()),
    onCrash: (crash) => say(`! ${crash.message}`)
  })
  stops.push(async () => {
    await services.stop()
    await removeData(mode, folder)
  })
  return services
}

/** Resolves with an API key without a limit. */
async function prepare(sluice: (...args: string[]) => Promise<string>): Promise<string> {
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
