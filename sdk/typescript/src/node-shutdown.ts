/** Sends the remaining decisions when a Node process ends, or reports how many were lost.
 *
 * - Empty event loop (`beforeExit`): the clients flush.
 * - `process.exit` or an exception (`exit`): only synchronous work is possible, so one line on
 * stderr reports the loss.
 * - SIGTERM or SIGINT with `handleSignals`: the clients flush, then the signal takes its default
 * action.
 */
import { formatNotSent } from './format-not-sent.ts'
import type { ShutdownTarget } from './platform.ts'
import { writeLine } from './write-line.ts'

const signals = ['SIGTERM', 'SIGINT'] as const
/**
 * Maximum number of flush rounds. Without it, a host that logs whenever its event loop is empty
 * would never exit.
 */
const roundsMax = 10

const clients = new Set<ShutdownTarget>()
let rounds = 0
/**
 * Number of decisions dropped at `beforeExit`. They are reported at `exit`, when the exit code is
 * known.
 */
let unreported = 0
let endingSignal: NodeJS.Signals | undefined

/**
 * Flushes the client when the process ends. Returns a function that unregisters the client. All
 * clients share one set of listeners.
 */
export function watchNodeShutdown(client: ShutdownTarget): () => void {
  if (clients.size === 0) {
    process.on('beforeExit', flushOnce)
    process.on('exit', reportLoss)
  }
  if (client.handleSignals) for (const signal of signals) listen(signal)
  clients.add(client)
  return () => {
    clients.delete(client)
    if (!Array.from(clients).some(({ handleSignals }) => handleSignals)) {
      for (const signal of signals) process.off(signal, handleSignal)
    }
    if (clients.size > 0 || unreported > 0) return
    process.off('beforeExit', flushOnce)
    process.off('exit', reportLoss)
  }
}

function listen(signal: NodeJS.Signals): void {
  if (!process.listeners(signal).includes(handleSignal)) process.on(signal, handleSignal)
}

function flushOnce(): void {
  if (rounds >= roundsMax || unreported > 0) return
  rounds++
  // Other `beforeExit` listeners may log, so let them run first.
  process.nextTick(() => void Promise.all(Array.from(clients, flushAndGiveUp)))
}

async function flushAndGiveUp(client: ShutdownTarget): Promise<void> {
  const { pending } = await client.flush(client.shutdownMs)
  // If nothing is pending, decisions logged during the flush are sent in the next round.
  if (pending > 0) unreported += client.dropRemaining()
}

function handleSignal(signal: NodeJS.Signals): void {
  // A second signal ends the process without waiting for the flush.
  if (endingSignal !== undefined) return raise(signal)
  endingSignal = signal
  const handling = Array.from(clients).filter(({ handleSignals }) => handleSignals)
  const flushes = handling.map(({ flush, shutdownMs }) => flush(shutdownMs))
  void Promise.all(flushes).then(() => raise(signal))
}

/**
 * Sends the signal again without the SDK's listeners, so that it ends the process. A host with its
 * own listener ends the process itself.
 */
function raise(signal: NodeJS.Signals): void {
  for (const each of signals) process.off(each, handleSignal)
  if (process.listenerCount(signal) > 0) return
  reportNotSent(`the process ended (${signal})`)
  process.kill(process.pid, signal)
}

function reportLoss(code: number): void {
  reportNotSent(`the process ended (exit code ${code})`)
}

function reportNotSent(cause: string): void {
  let count = unreported
  for (const client of clients) count += client.dropRemaining()
  unreported = 0
  if (count === 0) return
  writeLine(formatNotSent(count, cause))
}
