/** Creates decisions of about 1.2 kB that are the same in each run. */
import { partitionOf } from '../../core/decision/partition.ts'
import { topicDefinitions } from '../../schemas/index.ts'

const decisionsMax = 1000
/** Number of agents, enough to reach every partition. */
const agents = 50
/** Agent that sends nine of ten decisions in a hot-agent load. */
export const hotAgent = 'agent-hot'
const plainWords = (
  'the customer asks about an order that arrived late and the agent checks the policy ' +
  'before it decides whether a refund is due and writes a short friendly answer'
).split(' ')
const unicodeWords = [...plainWords, '"late"\n', 'Zoë', 'C:\\eu', '了解🙂']

/** Creates decisions without decision_id, because creating ids is part of the gateway's work. */
export function makeDecisions(words = plainWords): Record<string, unknown>[] {
  return Array.from({ length: decisionsMax }, (_, index) => decisionOf(index, words))
}

/** Creates decisions with line breaks, quotes, backslashes and characters that are not ASCII. */
export function makeUnicodeDecisions(): Record<string, unknown>[] {
  return makeDecisions(unicodeWords)
}

/** Creates the decisions of `makeDecisions` with nine of ten assigned to `hotAgent`. */
export function makeHotDecisions(): Record<string, unknown>[] {
  return makeDecisions().map((decision, index) =>
    index % 10 === 0
      ? { ...decision, agent_id: agentOf(index / 10) }
      : { ...decision, agent_id: hotAgent }
  )
}

/** `hot` is the hot agent, `neighbours` share its partition, and `others` use other partitions. */
export type AgentGroup = 'hot' | 'neighbours' | 'others'

/** Returns the group of an agent. An agent has the same group in every load, for comparison. */
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

function decisionOf(index: number, words: readonly string[]): Record<string, unknown> {
  return {
    input: {
      messages: [
        { role: 'system', content: 'You decide about refunds. Answer in two sentences.' },
        { role: 'user', content: textOf(index, 90, words) }
      ],
      temperature: 0.2
    },
    output: textOf(index + 7, 70, words),
    agent_id: agentOf(index),
    session_id: `session-${index}`,
    domain: 'refunds',
    metadata: { model: 'small-1', agent_version: '2.3.0', latency_ms: 400 + (index % 300) },
    input_tokens: 200 + (index % 50),
    output_tokens: 90 + (index % 20)
  }
}

function textOf(seed: number, length: number, words: readonly string[]): string {
  const picked = Array.from({ length }, (_, at) => words[(seed * 31 + at * 17) % words.length])
  return `${picked.join(' ')}.`
}
