/** A good and a bad answer to one question, with whatever a judge's prompt asks for. */
import type { Decision } from '../../core/decision/decision.ts'
import type { JudgeConfig } from './judge-config.ts'
import { parseTemplate } from './template.ts'

const nobody = '00000000-0000-4000-8000-000000000000'

const good = 'The capital of France is Paris.'
const bad = 'Bananas are yellow vehicles, and the capital of France is whatever you like, idiot.'

export function samplesOf({ prompt }: JudgeConfig): { good: Decision; bad: Decision } {
  const decision = {
    decision_id: nobody,
    organization_id: nobody,
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

/** Every member that the prompt names has some text, however deep it lies. */
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

/** An object where a text was: `metadata.a` and `metadata.a.b` are both some JSON then. */
function memberOf(parent: Record<string, unknown>, name: string): Record<string, unknown> {
  const known = parent[name]
  if (typeof known === 'object' && known !== null) return known as Record<string, unknown>
  const made = emptyObject()
  parent[name] = made
  return made
}

/** Without a prototype: a prompt may ask for `metadata.__proto__` and gets plain data. */
function emptyObject(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>
}
