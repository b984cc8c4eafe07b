/** Implements the `redact` functions that conformance cases refer to by name. */

type Decision = { input?: unknown; output?: unknown; metadata?: unknown }
type Redact = (decision: Decision) => unknown

const kinds: Readonly<Record<string, Redact>> = {
  mask: (decision) => ({ ...decision, input: maskOf(decision.input), output: '[masked]' }),
  mask_in_place: (decision) => {
    const input = decision.input as Record<string, unknown>
    input['secret'] = '[masked]'
    return decision
  },
  nothing: () => undefined,
  null: () => null,
  throw: () => {
    throw new TypeError('PRIVATE-PAYLOAD')
  },
  later: async (decision) => decision,
  later_and_fail: async () => {
    throw new TypeError('PRIVATE-PAYLOAD')
  },
  number: () => 42,
  other_agent: (decision) => ({ ...decision, agentId: 'another' }),
  cyclic: (decision) => {
    const input: Record<string, unknown> = {}
    input['self'] = input
    return { ...decision, input }
  },
  shows_metadata: (decision) => ({ ...decision, input: decision.metadata }),
  without_output: ({ output: _, ...rest }) => rest
}

function maskOf(input: unknown): unknown {
  return { ...(input as object), secret: '[masked]' }
}

/** @throws {TypeError} if no function has this name */
export function redactOf(name: string): Redact {
  const redact = kinds[name]
  if (redact === undefined) throw new TypeError(`unknown redact function ${name}`)
  return redact
}
