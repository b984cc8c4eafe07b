/** One decision in the making: from its input to its output, its error, or its end without either.
 */
import { mergeFields } from './context.ts'
import type { Context } from './context.ts'
import type { DecisionContext, DecisionInput } from './decision.ts'
import { quietly } from './quietly.ts'
import type { Snapshot } from './snapshot.ts'

export interface ObservationFields extends DecisionContext {
  /** What was done; sent as `metadata.name`. */
  readonly name?: string | undefined
  readonly decisionId?: string | undefined
}

export interface Tokens {
  readonly input?: number | undefined
  readonly output?: number | undefined
}

/** What is known of a decision so far. */
export interface Trace {
  /** What it will be stored under. */
  readonly decisionId: string
  /** As it is now; it may change afterwards. */
  setInput(input: unknown): void
  /** As it is now; what is no text is sent as JSON. */
  setOutput(output: unknown): void
  /** Added to what was set before, member by member. */
  setMetadata(metadata: Readonly<Record<string, unknown>>): void
  setTokens(tokens: Tokens): void
}

export interface Observation extends Trace {
  /** Logs the decision; answers its id. Everything after the first end is without effect. */
  end(): string
  /** As `end`, with what was thrown in `metadata.error`. */
  fail(error: unknown): string
}

export interface Observer {
  readonly log: (decision: DecisionInput) => string
  readonly context: Context
  readonly snapshot: Snapshot
  readonly newId: () => string
  /** Milliseconds since whenever; never goes back. */
  readonly now: () => number
}

/** Keeps the context of here, wherever the observation ends. */
export function startObservation(observer: Observer, fields: ObservationFields = {}): Observation {
  const { log, context, snapshot, newId, now } = observer
  const startedAt = now()
  const here = mergeFields(context.current(), {})
  const known: Record<string, unknown> = {}
  let metadata: Record<string, unknown> = quietly(() => ({ ...fields.metadata })) ?? {}
  let decisionId = fields.decisionId
  let loggedId: string | undefined

  function write(more: Record<string, unknown>): string {
    const { name } = fields
    const latency_ms = Math.max(0, Math.round(now() - startedAt))
    const own = { ...(name !== undefined && { name }), ...metadata, latency_ms, ...more }
    const around = mergeFields(here, { ...fields, metadata: own })
    const decision = { ...around, ...(decisionId !== undefined && { decisionId }), ...known }
    return context.only(here, () => log(decision as unknown as DecisionInput))
  }

  function finish(more: () => Record<string, unknown>): string {
    loggedId ??= quietly(() => write(more())) ?? ''
    return loggedId
  }

  return {
    get decisionId() {
      return (decisionId ??= newId())
    },
    setInput: (input) => void quietly(() => (known['input'] = snapshot(input, 'input'))),
    setOutput: (output) => void quietly(() => (known['output'] = snapshot(output, 'output'))),
    setMetadata: (added) => void quietly(() => (metadata = { ...metadata, ...added })),
    setTokens: (tokens) => void quietly(() => addTokens(known, tokens)),
    end: () => finish(() => ({})),
    fail: (error) => {
      known['output'] ??= ''
      return finish(() => ({ error: describeError(error) }))
    }
  }
}

function addTokens(known: Record<string, unknown>, { input, output }: Tokens): void {
  if (input !== undefined) known['inputTokens'] = input
  if (output !== undefined) known['outputTokens'] = output
}

/** Whatever can be thrown, an object that refuses every question included. */
function describeError(error: unknown): { name: string; message: string } {
  if (typeof error !== 'object' || error === null) {
    return { name: typeof error, message: String(error) }
  }
  const memberOf = (name: string): unknown => quietly(() => Reflect.get(error, name) as unknown)
  const [name, message] = [memberOf('name'), memberOf('message')]
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : ''
  }
}
