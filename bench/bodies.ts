/** The bodies every row is sent: decisions of about 1.2 kB, the same in each run. */

const bodiesMax = 1000
const agents = 50
const words = (
  'the customer asks about an order that arrived late and the agent checks the policy ' +
  'before it decides whether a refund is due and writes a short friendly answer'
).split(' ')

/** JSON texts; the caller adds a fresh decision_id to none of them, so the gateway makes it. */
export function makeBodies(): Buffer[] {
  return Array.from({ length: bodiesMax }, (_, index) => Buffer.from(JSON.stringify(bodyOf(index))))
}

function bodyOf(index: number): Record<string, unknown> {
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
