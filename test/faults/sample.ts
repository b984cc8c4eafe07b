/** Generates decisions for fault tests: valid ones of every shape, and ones that may be rejected.
 */
import { randomUUID } from 'node:crypto'
import { fingerprintOf } from './fingerprint.ts'
import type { Content } from './fingerprint.ts'
import type { Random } from './random.ts'

/**
 * Kind of decision. `good` is accepted, and `limited` may be rejected by a rate limit. Each of the
 * other kinds is rejected with its own problem code.
 */
export type Kind = 'good' | 'invalid' | 'oversized' | 'foreign' | 'limited'

export interface Sample {
  readonly decisionId: string
  readonly kind: Kind
  /** JSON text of the request body or batch item. */
  readonly text: string
  readonly fingerprint: string
}

// Texts that careless code would alter: numbers beyond double precision, unusual whitespace and
// member order, non-Latin scripts, U+0000.
const inputs = [
  '{"question":"May I return these shoes?","days":12}',
  '{ "b" : 1.50, "a" : 12345678901234567890, "__proto__" : {"x":1e400} }',
  '"just a text with \\u0000, \\ud83d\\ude00 and \\"quotes\\""',
  '[1,2.0,-0,1E-7,null,true,{"":{}}]',
  'null'
]
const outputs = ['Yes: within 30 days, unworn.', '', 'a\u0000b', 'Ünïcödé 漢字 🙂 "\\', '\n\t ']
const metadata = ['{"model":"small-1","latency_ms":812}', '{ "z":1, "a": [0.10] }', '{}', null]
const agents = 40
const smallBytes = 400
const largeBytes = 64 * 1024
const largeShare = 0.02
/**
 * Size in bytes between the 4 MiB limit of an encoded decision and the 10 MiB limit of a request
 * body.
 */
const oversizedBytes = 4.25 * 1024 * 1024

/**
 * Creates a decision.
 * @param bytes the number of padding bytes in the output; random if omitted
 */
export function makeSample(random: Random, kind: Kind, bytes = sizeOf(random, kind)): Sample {
  const decisionId = randomUUID()
  const content = contentOf(random, bytes)
  const text = textOf(decisionId, kind === 'invalid' ? { ...content, output: null } : content)
  return { decisionId, kind, text, fingerprint: fingerprintOf(content) }
}

function contentOf(random: Random, bytes: number): Content {
  const pick = <T>(from: readonly T[]): T | undefined => from[random.below(from.length)]
  const filler = 'x'.repeat(bytes)
  return {
    input: pick(inputs) ?? 'null',
    output: `${pick(outputs)}${filler}`,
    agent_id: random.chance(0.9) ? `agent-${random.below(agents)}` : null,
    session_id: random.chance(0.5) ? `session-${random.below(1000)}` : null,
    domain: 'refunds',
    metadata: pick(metadata) ?? null,
    input_tokens: random.below(2 ** 31),
    output_tokens: random.chance(0.1) ? Number.MAX_SAFE_INTEGER : random.below(1000)
  }
}

function sizeOf(random: Random, kind: Kind): number {
  if (kind === 'oversized') return oversizedBytes
  return random.below(random.chance(largeShare) ? largeBytes : smallBytes)
}

/** Concatenates the JSON text, because a serializer would change `input` and `metadata`. */
function textOf(decisionId: string, content: Content): string {
  const members = Object.entries(content)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const isText = name === 'input' || name === 'metadata'
      return `"${name}":${isText ? value : JSON.stringify(value)}`
    })
  return `{"decision_id":"${decisionId}",${members.join(',')}}`
}
