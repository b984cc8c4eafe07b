/** Creates the sample decisions of the self-test: a good and a bad answer, with all variables of
 * the prompt.
 */
import type { Decision } from '../../core/decision/decision.ts'
import type { JudgeConfig } from './judge-config.ts'
import { parseTemplate } from './template.ts'

const nilId = '00000000-0000-4000-8000-000000000000'

const good = 'The capital of France is Paris.'
const bad = 'Bananas are yellow vehicles, and the capital of France is whatever you like, idiot.'

export function samplesOf({ prompt }: JudgeConfig): { good: Decision; bad: Decision } {
  const decision = {
    decision_id: nilId,
    organization_id: nilId,
    received_at: 0,
    input: '{"question":"What is the capital of France?"}',
    agent_id: null,
    session_id: null,
    domain: 'geography',
    metadata: metadataFor(parseTemplate(prompt).variables),
    input_tokens: null,
    output_tokens: null,
    sdk_version: null
  }
  return { good: { ...decision, output: good }, bad: { ...decision, output: bad } }
}

/** Creates metadata with a text for every member that the prompt names, at any depth. */
function metadataFor(variables: readonly string[]): string {
  const metadata = emptyObject()
  metadata['expected'] = 'Paris'
  for (const variable of variables) {
    const [room, ...path] = variable.split('.')
    if (room !== 'metadata' || path[0] === 'expected') continue
    let at = metadata
    for (const name of path.slice(0, -1)) at = memberOf(at, name)
    const last = path.at(-1) ?? ''
    at[last] ??= 'sample'
  }
  return JSON.stringify(metadata)
}

/**
 * Returns the object in a member. Replaces a text with an object, so that `metadata.a` and
 * `metadata.a.b` can both exist.
 */
function memberOf(parent: Record<string, unknown>, name: string): Record<string, unknown> {
  const known = parent[name]
  if (typeof known === 'object' && known !== null) return known as Record<string, unknown>
  const made = emptyObject()
  parent[name] = made
  return made
}

/**
 * Creates an object without a prototype, so that `metadata.__proto__` in a prompt is plain data.
 */
function emptyObject(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>
}
