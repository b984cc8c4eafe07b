/** What the rows are sent: decisions of about 1.2 kB, the same in each run. */

/** How a request carries decisions; a new way to send them is a new entry of `shapes`. */
export interface Shape {
  readonly contentType: string
  /** Decisions in one request. */
  readonly decisions: number
  makeBodies(): Buffer[]
}

export type ShapeName = 'decision'

/** None has a decision_id: making one is part of the gateway's work. */
export const shapes: Readonly<Record<ShapeName, Shape>> = {
  decision: {
    contentType: 'application/json',
    decisions: 1,
    makeBodies: () => makeDecisions().map((decision) => Buffer.from(JSON.stringify(decision)))
  }
}

const decisionsMax = 1000
/** Enough that every partition gets its share. */
const agents = 50
const words = (
  'the customer asks about an order that arrived late and the agent checks the policy ' +
  'before it decides whether a refund is due and writes a short friendly answer'
).split(' ')

export function makeDecisions(): Record<string, unknown>[] {
  return Array.from({ length: decisionsMax }, (_, index) => decisionOf(index))
}

function decisionOf(index: number): Record<string, unknown> {
  return {
    input: {
      messages: [
        { role: 'system', content: 'You decide about refunds. Answer in two sentences.' },
        { role: 'user', content: textOf(index, 90) }
      ],
      temperature: 0.2
    },
    output: textOf(index + 7, 70),
    agent_id: `agent-${index % agents}`,
    session_id: `session-${index}`,
    domain: 'refunds',
    metadata: { model: 'small-1', agent_version: '2.3.0', latency_ms: 400 + (index % 300) },
    input_tokens: 200 + (index % 50),
    output_tokens: 90 + (index % 20)
  }
}

function textOf(seed: number, length: number): string {
  const picked = Array.from({ length }, (_, at) => words[(seed * 31 + at * 17) % words.length])
  return `${picked.join(' ')}.`
}
