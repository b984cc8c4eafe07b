/** Runs the judge server as a separate process that can be killed and restarted. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../../stack/ports.ts'
import { onEnd } from '../../support/cleanup.ts'
import { waitUntil } from '../../support/wait-until.ts'
import type { BehaviourName } from '../../support/judge-behaviours.ts'

export interface JudgeProcess {
  /** Base URL to configure in a connection. It stays the same after a restart. */
  readonly baseUrl: string
  /** Resolves with the number of calls in progress. */
  open(): Promise<number>
  /** Sets the behaviour of later calls. */
  behave(behaviour: BehaviourName): Promise<void>
  /** Makes later calls succeed with this delay. */
  delay(ms: number): Promise<void>
  /** Holds calls open, or releases the held calls. */
  hold(isHeld: boolean): Promise<void>
  /** Kills the server with SIGKILL, so that connections are refused. */
  kill(): Promise<void>
  /** Starts the server on the same port as before. */
  start(): Promise<void>
}

const usualDelayMs = 20
const startMs = 20_000

export async function startJudgeProcess(log: string): Promise<JudgeProcess> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null

  async function control(body?: object): Promise<{ open: number }> {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const answer = await fetch(`${origin}/control`, { ...init, signal: AbortSignal.timeout(5000) })
    return (await answer.json()) as { open: number }
  }

  async function start(): Promise<void> {
    const args = ['--no-warnings', 'test/support/judge-server.ts', '--port', String(port)]
    child = spawn(process.execPath, [...args, '--log', log], { stdio: 'ignore' })
    await waitUntil('the judge responds', async () => (await control()).open >= 0, startMs)
    await control({ delay_ms: usualDelayMs })
  }

  async function kill(): Promise<void> {
    const ending = child
    child = null
    if (ending === null) return
    ending.kill('SIGKILL')
    while (ending.exitCode === null && ending.signalCode === null) await pause(5)
  }

  onEnd(kill)
  await start()
  return {
    ...{ baseUrl: `${origin}/v1`, start, kill },
    open: async () => (await control()).open,
    behave: async (behaviour) => {
      await control(behaviour === 'good' ? { delay_ms: usualDelayMs } : { behaviour })
    },
    delay: async (ms) => void (await control({ delay_ms: ms })),
    hold: async (isHeld) => void (await control({ held: isHeld }))
  }
}
