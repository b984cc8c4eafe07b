/** Composes a decision from the logged fields, the context and the options. */
import type { DecisionContext } from './decision.ts'
import type { RawDecision } from './encode-decision.ts'
import type { Settings } from './options.ts'
import { readMember } from './simplify.ts'
import { firstOf, toFieldText } from './text-field.ts'

export type Defaults = Pick<Settings, 'agentId' | 'domain'>

const plainUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu

/**
 * Returns the caller's own decision id in lower case, null if it is not a UUID, or undefined if
 * none is set.
 */
export function ownIdOf(given: unknown): string | null | undefined {
  const id = membersOf(given)('decisionId')
  if (id === undefined || id === null) return undefined
  return typeof id === 'string' && plainUuid.test(id) ? id.toLowerCase() : null
}

/** Precedence: the decision's own field, the context, the options. */
export function composeDecision(
  given: unknown,
  context: DecisionContext | undefined,
  defaults: Defaults
): Omit<RawDecision, 'decisionId'> {
  const own = membersOf(given)
  const around = context ?? {}
  const agentId = firstOf(own('agentId'), around.agentId, defaults.agentId)
  const sessionId = firstOf(own('sessionId'), around.sessionId)
  const domain = firstOf(own('domain'), around.domain, defaults.domain)
  return {
    names: {
      agent_id: toFieldText('agent_id', agentId),
      session_id: toFieldText('session_id', sessionId),
      domain: toFieldText('domain', domain)
    },
    input: own('input'),
    output: own('output'),
    inputTokens: own('inputTokens'),
    outputTokens: own('outputTokens'),
    metadata: [around.metadata, own('metadata')]
  }
}

/**
 * Returns a function that reads a member and never throws. A value that is not an object has no
 * members.
 */
function membersOf(given: unknown): (name: string) => unknown {
  if (typeof given !== 'object' || given === null) return () => undefined
  return (name) => readMember(given, name)
}
