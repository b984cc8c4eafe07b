/** Starts services for a benchmark and prepares topics, tables and an organization. */
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
import type { StackServices } from '../stack/services.ts'
import { runSluice } from '../stack/sluice-command.ts'
import { createSupervisor } from '../stack/processes/supervisor.ts'
import type { Bench, Program } from './row.ts'

export interface OpenBench extends Bench {
  countRecords(topic: string): Promise<number>
  /** Stops a process that a row started. */
  end(name: string): Promise<void>
  stop(): Promise<void>
}

interface BenchSettings {
  readonly say: (line: string) => void
  readonly signal: AbortSignal
  readonly nodeFlags: readonly string[]
  /** Folder of the checkout to run; the current one if omitted. */
  readonly checkout?: string
  /** Whether services persist data to disk as in a deployment. */
  readonly isDurable?: boolean
}

/** Suppresses a harmless Node 24 warning about timers that kafkajs sets in the past. */
const quiet = '--disable-warning=TimeoutNegativeWarning'
/** Credentials of the owner in a throwaway database. */
export const benchLogin = { email: 'bench@sluice.local', password: 'known to everybody' }
const rateLimit = '1000000000'
const readyTimeoutMs = 30_000
const stopDeadlineMs = 15_000
const countTimeoutMs = 30_000

/** Stop functions, in the order in which the services were started. */
type Stops = (() => Promise<void>)[]

/** Starts the services. If one fails to start, stops the others. */
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
      if (pid === undefined) throw new Error(`${name} is not a local process; use the native stack`)
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
): Promise<StackServices> {
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

/**
 * Creates tables, topics, schemas and an organization. Resolves with an API key that has
 * practically no rate limit.
 */
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
