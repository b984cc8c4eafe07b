/** The end of a process: what is left is sent while that is possible, and counted when it is not.
 *
 * - The loop is empty: `beforeExit`. There is time, so the clients flush.
 * - `process.exit` or an exception: `exit`. Only what is synchronous is done: one line.
 * - SIGTERM or SIGINT, if the client is to handle them: a flush, then the signal's own end.
 */
import { notSent } from './not-sent.ts'
import type { Endable } from './platform.ts'
import { writeLine } from './write-line.ts'

const signals = ['SIGTERM', 'SIGINT'] as const
/** A host that logs whenever its loop is empty would never end. */
const roundsMax = 10

const clients = new Set<Endable>()
let rounds = 0
/** Given up already, and to be told of once it is known how the process ends. */
let untold = 0
let endingSignal: NodeJS.Signals | undefined

/** One set of listeners serves all clients of the process. */
export function watchNodeEnd(client: Endable): () => void {
  if (clients.size === 0) {
    process.on('beforeExit', flushOnce)
    process.on('exit', tellLoss)
  }
  if (client.handleSignals) for (const signal of signals) listen(signal)
  clients.add(client)
  return () => {
    clients.delete(client)
    if (!Array.from(clients).some(({ handleSignals }) => handleSignals)) {
      for (const signal of signals) process.off(signal, endBySignal)
    }
    if (clients.size > 0 || untold > 0) return
    process.off('beforeExit', flushOnce)
    process.off('exit', tellLoss)
  }
}

function listen(signal: NodeJS.Signals): void {
  if (!process.listeners(signal).includes(endBySignal)) process.on(signal, endBySignal)
}

function flushOnce(): void {
  if (rounds >= roundsMax || untold > 0) return
  rounds++
  // Other listeners may log, too.
  process.nextTick(() => void Promise.all(Array.from(clients, flushAndGiveUp)))
}

async function flushAndGiveUp(client: Endable): Promise<void> {
  const { pending } = await client.flush(client.shutdownMs)
  // What was logged meanwhile has the next round.
  if (pending > 0) untold += client.giveUp()
}

function endBySignal(signal: NodeJS.Signals): void {
  // Whoever asks twice does not want to wait.
  if (endingSignal !== undefined) return raise(signal)
  endingSignal = signal
  const handling = Array.from(clients).filter(({ handleSignals }) => handleSignals)
  const flushes = handling.map(({ flush, shutdownMs }) => flush(shutdownMs))
  void Promise.all(flushes).then(() => raise(signal))
}

/** Without our listener the signal ends the process, unless the host has one of its own. */
function raise(signal: NodeJS.Signals): void {
  for (const each of signals) process.off(each, endBySignal)
  if (process.listenerCount(signal) > 0) return
  tell(`the process ended (${signal})`)
  process.kill(process.pid, signal)
}

function tellLoss(code: number): void {
  tell(`the process ended (exit code ${code})`)
}

function tell(how: string): void {
  let count = untold
  for (const client of clients) count += client.giveUp()
  untold = 0
  if (count === 0) return
  writeLine(notSent(count, how))
}
