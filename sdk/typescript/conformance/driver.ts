/** Conformance driver: reads one JSON command per line and writes one JSON response per line. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { inspect } from 'node:util'
import { init } from '../src/index.ts'
import { observeCall } from './observe-call.ts'
import { redactOf } from './redact.ts'
import { destroy, valueOf } from './values.ts'

type Members = Readonly<Record<string, unknown>>
type Client = ReturnType<typeof init>
type Run = (command: Members) => Promise<Members> | Members

const idsMax = 20_000
const errors: unknown[] = []
const drops: unknown[] = []
const loop = monitorEventLoopDelay({ resolution: 5 })
let client: Client | undefined
let rssMax = 0

const commands: Readonly<Record<string, Run>> = {
  init: (command) => {
    client = init(optionsOf(command))
    loop.enable()
    return {}
  },
  log,
  log_together: async ({ callers, times, decision }) => {
    const all = Array.from({ length: Number(callers) }, () =>
      log({ times, decision, pause_every: 10 })
    )
    return { ids: (await Promise.all(all)).flatMap(({ ids }) => ids) }
  },
  flush: async ({ timeout_ms }) => {
    const options = timeout_ms === undefined ? {} : { timeoutMs: Number(timeout_ms) }
    return await timed(async () => snakeOf(await theClient().flush(options)))
  },
  observe: async ({ fields, ...command }) => {
    const named = camelMembersOf(fields as Members)
    return await observeCall(theClient(), { ...command, fields: named })
  },
  /** Logs one more decision during the flush. */
  flush_and_log: async ({ timeout_ms, decision }) => {
    const flushing = theClient().flush({ timeoutMs: Number(timeout_ms) })
    const ids = [theClient().log(decisionOf(decision as Members, 0))]
    return { ...snakeOf(await flushing), ids }
  },
  flush_twice: async () => {
    const both = await Promise.all([theClient().flush(), theClient().flush()])
    return { results: both.map(snakeOf) }
  },
  stats: () => snakeOf(theClient().stats()),
  close: async () => await timed(async () => void (await theClient().close())),
  callbacks: () => ({ errors: [...errors], drops: [...drops] }),
  host: () => {
    const delay = loop.max / 1e6
    loop.reset()
    return { delay_ms_max: delay, rss_max_bytes: Math.max(rssMax, process.memoryUsage.rss()) }
  },
  host_reset: () => {
    loop.reset()
    return {}
  },
  own_signal_handler: ({ signal, exit_after_ms }) => {
    process.on(String(signal), () => {
      setTimeout(() => process.exit(7), Number(exit_after_ms))
    })
    return {}
  }
}

function theClient(): Client {
  if (client === undefined) throw new Error('init must be the first command')
  return client
}

function optionsOf({ options, redact, callbacks }: Members): Members {
  const given = Object.entries((options ?? {}) as Members)
  const named = given.map(([name, value]) => [camelOf(name), valueOf(value)] as const)
  return {
    ...Object.fromEntries(named),
    ...(redact === undefined ? {} : { redact: redactOf(redact as string) }),
    onError: (error: unknown, about: Members) => {
      const name = error instanceof Error ? error.name : typeof error
      errors.push({ ...about, error: name, text: inspect(error) })
      callBack(callbacks)
    },
    onDrop: (about: Members) => {
      drops.push(about)
      callBack(callbacks)
    }
  }
}

/** Simulates a host callback that throws or calls the client. */
function callBack(kind: unknown): void {
  if (kind === 'throw') throw new Error('error from a host callback')
  if (kind === 'ask') {
    theClient().stats()
    void theClient().flush({ timeoutMs: 0 })
  }
}

/**
 * Logs the decision `times` times. `{n}` in a top-level string becomes the iteration number, from
 * 0.
 */
async function log(command: Members): Promise<Members> {
  const { times = 1, mutate_after, check_unchanged, decision, pause_every, context = [] } = command
  const ids: string[] = []
  let mostMs = 0
  let unchanged = true
  for (let n = 0; n < Number(times); n++) {
    const made = decisionOf(decision as Members, n)
    const before = check_unchanged === true ? JSON.stringify(made) : ''
    const beganAt = performance.now()
    const id = within(context as Members[], () => theClient().log(made))
    mostMs = Math.max(mostMs, performance.now() - beganAt)
    if (check_unchanged === true) unchanged = JSON.stringify(made) === before
    if (ids.length < idsMax) ids.push(id)
    if (mutate_after === true) destroy(made)
    if (pause_every !== undefined && n % Number(pause_every) === 0) await breathe()
  }
  rssMax = Math.max(rssMax, process.memoryUsage.rss())
  return { ids, ms_max: mostMs, unchanged }
}

/** Runs `work` within nested contexts; the first one is the outermost. */
function within<T>([outer, ...inner]: readonly Members[], work: () => T): T {
  if (outer === undefined) return work()
  return theClient().withContext(camelMembersOf(outer), () => within(inner, work))
}

/** Samples memory, then yields to the host's other work. */
async function breathe(): Promise<void> {
  rssMax = Math.max(rssMax, process.memoryUsage.rss())
  await new Promise((resolve) => setImmediate(resolve))
}

function decisionOf(decision: Members, n: number): Parameters<Client['log']>[0] {
  const numbered = Object.entries(decision).map(([name, value]) => {
    return [name, typeof value === 'string' ? value.replaceAll('{n}', String(n)) : value] as const
  })
  const made: unknown = camelMembersOf(Object.fromEntries(numbered))
  return made as Parameters<Client['log']>[0]
}

async function timed(work: () => Promise<Members | void>): Promise<Members> {
  const beganAt = performance.now()
  const result = await work()
  return { ...result, ms: performance.now() - beganAt }
}

/** Converts top-level names to camel case. Nested names belong to the host and are unchanged. */
function camelMembersOf(members: Members): Members {
  const named = Object.entries(members).map(([name, value]) => [camelOf(name), valueOf(value)])
  return Object.fromEntries(named) as Members
}

function camelOf(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Converts top-level names to snake case. Nested names stay unchanged. */
function snakeOf(value: object): Members {
  const named = Object.entries(value).map(([name, member]) => {
    return [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), member as unknown]
  })
  return Object.fromEntries(named) as Members
}

/**
 * Ends the process. An exception is thrown from a `setImmediate` callback, where nothing catches
 * it.
 */
function end(how: unknown): void {
  if (how === 'exit') process.exit(3)
  if (how === 'exception') {
    setImmediate(() => {
      throw new RangeError('the host is at its end')
    })
  }
}

function say(answer: Members): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}

const lines = createInterface({ input: process.stdin })
for await (const line of lines) {
  const command = JSON.parse(line) as Members
  if (command['do'] === 'end') {
    // The driver itself must not keep the process alive.
    lines.close()
    process.stdin.destroy()
    loop.disable()
    end(command['how'])
    break
  }
  try {
    const run = commands[String(command['do'])]
    if (run === undefined) throw new TypeError(`unknown command ${String(command['do'])}`)
    say(await run(command))
  } catch (error) {
    say({ error: String(error) })
  }
}
