/** Decisions of about 1.2 kB, the same in each run. */
import { partitionOf } from '../../core/decision/partition.ts'
import { topicDefinitions } from '../../schemas/index.ts'

const decisionsMax = 1000
/** Enough that every partition gets its share. */
const agents = 50
/** Who sends nine decisions of ten, where one agent does. */
export const hotAgent = 'agent-hot'
const words = (
  'the customer asks about an order that arrived late and the agent checks the policy ' +
  'before it decides whether a refund is due and writes a short friendly answer'
).split(' ')

/** None has a decision_id: making one is part of the gateway's work. */
export function makeDecisions(): Record<string, unknown>[] {
  return Array.from({ length: decisionsMax }, (_, index) => decisionOf(index))
}

/** The same decisions, of which one agent has made nine of ten. */
export function makeHotDecisions(): Record<string, unknown>[] {
  return makeDecisions().map((decision, index) =>
    index % 10 === 0
      ? { ...decision, agent_id: agentOf(index / 10) }
      : { ...decision, agent_id: hotAgent }
  )
}

/** The hot agent itself, those whose decisions go to the same partition, and all others. */
export type AgentGroup = 'hot' | 'neighbours' | 'others'

/** The same with and without a hot agent, so that the two can be compared. */
export function groupOf(agent: string): AgentGroup {
  if (agent === hotAgent) return 'hot'
  return partitionOfAgent(agent) === partitionOfAgent(hotAgent) ? 'neighbours' : 'others'
}

export function partitionOfAgent(agent: string): number {
  const partitions = topicDefinitions.find(({ role }) => role === 'decisions')?.partitions ?? 1
  return partitionOf(Buffer.from(agent), partitions)
}

function agentOf(index: number): string {
  return `agent-${index % agents}`
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
    agent_id: agentOf(index),
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
