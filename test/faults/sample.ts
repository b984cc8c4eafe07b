/** Decisions of a load: valid ones of every shape, and some that have to be refused. */
import { randomUUID } from 'node:crypto'
import { fingerprintOf } from './fingerprint.ts'
import type { Content } from './fingerprint.ts'
import type { Random } from './random.ts'

/** What is expected of an item: `good` is accepted, the others have their own refusal. */
export type Kind = 'good' | 'invalid' | 'oversized' | 'foreign' | 'limited'

export interface Sample {
  readonly decisionId: string
  readonly kind: Kind
  /** The JSON text, exactly as it is sent. */
  readonly text: string
  /** Of the content that has to arrive. */
  readonly fingerprint: string
}

/** Texts that a careless path would change: exact numbers, spaces, order, scripts, NUL. */
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
/** Above the 4 MiB of one encoded decision, below the 10 MiB of a body. */
const oversizedBytes = 4.25 * 1024 * 1024

/** `bytes` is the size of the output's filler; it is drawn when left out. */
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

/** Written by hand, since `input` and `metadata` have to keep every byte. */
function textOf(decisionId: string, content: Content): string {
  const members = Object.entries(content)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const isText = name === 'input' || name === 'metadata'
      return `"${name}":${isText ? value : JSON.stringify(value)}`
    })
  return `{"decision_id":"${decisionId}",${members.join(',')}}`
}
