/** Observation: collects one decision from its input to its output or error. */
import { mergeFields } from './context.ts'
import type { Context } from './context.ts'
import type { DecisionContext, DecisionInput } from './decision.ts'
import { suppressErrors } from './suppress-errors.ts'
import type { Snapshot } from './snapshot.ts'

export interface ObservationFields extends DecisionContext {
  /** Name of the operation, sent as `metadata.name`. */
  readonly name?: string | undefined
  readonly decisionId?: string | undefined
}

export interface Tokens {
  readonly input?: number | undefined
  readonly output?: number | undefined
}

/** A decision that is not complete yet. */
export interface Trace {
  /** Id of the decision, available before it is logged. */
  readonly decisionId: string
  /** Takes a snapshot, so the value may change afterwards. */
  setInput(input: unknown): void
  /** Takes a snapshot. A value that is not a string is sent as JSON text. */
  setOutput(output: unknown): void
  /** Adds members to the metadata, replacing existing members with the same names. */
  setMetadata(metadata: Readonly<Record<string, unknown>>): void
  setTokens(tokens: Tokens): void
}

export interface Observation extends Trace {
  /** Logs the decision and returns its id. Later calls to `end` and `fail` have no effect. */
  end(): string
  /** Logs the decision like `end`, with the error in `metadata.error`. */
  fail(error: unknown): string
}

export interface Observer {
  readonly log: (decision: DecisionInput) => string
  readonly context: Context
  readonly snapshot: Snapshot
  readonly newId: () => string
  /** Returns monotonic time in milliseconds. */
  readonly now: () => number
}

/**
 * Starts an observation. Its decision is logged in the context in which the observation started.
 */
export function startObservation(observer: Observer, fields: ObservationFields = {}): Observation {
  const { log, context, snapshot, newId, now } = observer
  const startedAt = now()
  const here = mergeFields(context.current(), {})
  const known: Record<string, unknown> = {}
  let metadata: Record<string, unknown> = suppressErrors(() => ({ ...fields.metadata })) ?? {}
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
    loggedId ??= suppressErrors(() => write(more())) ?? ''
    return loggedId
  }

  return {
    get decisionId() {
      return (decisionId ??= newId())
    },
    setInput: (input) => void suppressErrors(() => (known['input'] = snapshot(input, 'input'))),
    setOutput: (output) =>
      void suppressErrors(() => (known['output'] = snapshot(output, 'output'))),
    setMetadata: (added) => void suppressErrors(() => (metadata = { ...metadata, ...added })),
    setTokens: (tokens) => void suppressErrors(() => addTokens(known, tokens)),
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

/** Describes any thrown value, even an object whose members throw. */
function describeError(error: unknown): { name: string; message: string } {
  if (typeof error !== 'object' || error === null) {
    return { name: typeof error, message: String(error) }
  }
  const memberOf = (name: string): unknown =>
    suppressErrors(() => Reflect.get(error, name) as unknown)
  const [name, message] = [memberOf('name'), memberOf('message')]
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: typeof message === 'string' ? message : ''
  }
}
