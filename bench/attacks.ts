/** Defines the traffic for --fairness: normal requests from one organization and attacks from
 * others.
 */
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { starsMax } from '../core/evaluation/rule.ts'
import { makeDecisions } from './load/decisions.ts'

/**
 * Stream of similar requests: POST requests that cycle through `bodies`, or GET requests if
 * `bodies` is omitted.
 */
export interface Flow {
  readonly name: string
  /** Returns the path of request number `index`. */
  readonly path: (index: number) => string
  readonly bodies?: () => readonly Buffer[]
  readonly headers?: Readonly<Record<string, string>>
  readonly credential: 'key' | 'session' | 'none'
  /** Planned requests per second. */
  readonly perSecond: number
  /** Maximum concurrent requests; unlimited if omitted. */
  readonly atOnce?: number
  readonly requestsMax?: number
  /** Whether the attack needs an organization that already has the decisions of `agentsFlow`. */
  readonly needsAgents?: boolean
  /** Whether the attacker first uses up the rate limit of its organization. */
  readonly needsSpentLimit?: boolean
}

const agents = 8000
const batchSize = 500
/**
 * Requests per second of an attack. The attacker and the gateway share the CPU, so a higher rate
 * would measure the attacker instead.
 */
const attacksPerSecond = 50
const evaluators = '/v1/evaluation/evaluators'
const decisions = '/v1/decisions'
const batch = '/v1/ingest/batch'
const asAgent = { credential: 'key' } as const
const gzipped = { ...asAgent, headers: { 'content-encoding': 'gzip' } }

function row(name: string, path: string, rest: Partial<Flow>): Flow {
  const common = { credential: 'session', perSecond: attacksPerSecond } as const
  return { name, path: () => path, ...common, ...rest }
}

/** Returns the settings of an attack that sends `count` requests simultaneously. */
function burst(count: number) {
  return { perSecond: Number.POSITIVE_INFINITY, requestsMax: count }
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

function listOf<T>(length: number, itemOf: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => itemOf(index))
}

/** Returns the settings of requests that test an evaluator without saving it. */
function trial(atOnce: number, evaluator: object, inline: object = { input: 'q', output: '{}' }) {
  return { atOnce, bodies: () => [json({ evaluator: { name: 'x', ...evaluator }, inline })] }
}

function schemaOf(schema: object) {
  return { kind: 'json_schema', config: { schema } }
}

function letters(count: number) {
  return schemaOf({ allOf: listOf(count, (index) => ({ pattern: `\\p{L}{1000}${index}` })) })
}

/** Creates a 64 KB schema with 501 subschemas, more than the limit of 500. */
function words() {
  const wordOf = (index: number): string =>
    `^(?:${'[a-z]+|\\d{2,4}|'.repeat(6)}x)${index}$`.padEnd(105, 'y')
  return schemaOf({ allOf: listOf(501, (index) => ({ pattern: wordOf(index) })) })
}

/**
 * Creates a chain of definitions that each refer to the next one twice, so validation can fail in
 * 2^30 ways.
 */
function doubling() {
  const next = (index: number) => ({ $ref: `#/$defs/d${index + 1}` })
  const definitionOf = (index: number): object =>
    index === 30 ? { type: 'null' } : { anyOf: [next(index), next(index)] }
  const $defs = Object.fromEntries(
    listOf(31, (index) => [`d${index}`, definitionOf(index)] as const)
  )
  return schemaOf({ ...next(-1), $defs })
}

const regex = { kind: 'regex', config: { pattern: '(?:a{1,30}){30}b' } }
const regexText = { input: 'q'.repeat(700_000), output: 'a'.repeat(262_144) }
const similarity = { kind: 'similarity', config: { method: 'json_diff' } }
const values = listOf(9000, (index) => `${index}`.padEnd(50, 'v'))
const similarText = { input: 'q', output: JSON.stringify(values), metadata: { expected: values } }
const rule = {
  name: 'x',
  match: { session_ids: listOf(50, (index) => `${'*a'.repeat(starsMax - 1)}*${index}`) },
  evaluators: [{ evaluator_id: 'output_not_empty' }]
}

function agentsBatch(index: number): Buffer {
  const decisionOf = (agent: number) => {
    return { input: 'q', output: 'a', agent_id: `agent-${agent}`, session_id: 'a'.repeat(200) }
  }
  return json({ decisions: listOf(batchSize, (item) => decisionOf(index * batchSize + item)) })
}

/** Creates a gzipped decision whose input has `count` members. */
function members(count: number): readonly Buffer[] {
  const input = listOf(count, (index) => `"k${index}":1`)
  return [gzipSync(`{"output":"x","input":{${input.join(',')}}}`)]
}

function wrongLogin(index: number): Buffer {
  return json({ email: `nobody-${index}@sluice.local`, password: 'a wrong password' })
}

export const innocentFlows: readonly Flow[] = [
  row('ingest', '/v1/ingest', {
    ...asAgent,
    perSecond: 40,
    bodies: () => makeDecisions().map(json)
  }),
  row('read', decisions, {
    path: (index) => (index % 2 === 0 ? decisions : `${decisions}/stats?window=24h`),
    perSecond: 10
  })
]

/**
 * Sends one decision per agent. The number of agents is below the default rate limit of 10,000
 * decisions per minute.
 */
export const agentsFlow = row('agents', batch, {
  ...asAgent,
  atOnce: 1,
  requestsMax: agents / batchSize,
  bodies: () => listOf(agents / batchSize, agentsBatch)
})

/** The attacks. Those that leave the most background work run last. */
export const attacks: readonly Flow[] = [
  row('schema-120', `${evaluators}/test`, trial(1, letters(120))),
  row('schema-480', `${evaluators}/test`, trial(1, letters(480))),
  row('schema-create', evaluators, {
    atOnce: 1,
    bodies: () => [json({ name: 'x', ...letters(120) })]
  }),
  row('schema-64k', `${evaluators}/test`, trial(4, words())),
  row('schema-doubling', `${evaluators}/test`, trial(6, doubling())),
  row('regex-1m', `${evaluators}/test`, trial(8, regex, regexText)),
  row('similarity-1m', `${evaluators}/test`, trial(8, similarity, similarText)),
  row('rule-previews', '/v1/evaluation/rules/preview', {
    atOnce: 8,
    needsAgents: true,
    bodies: () => [json(rule)]
  }),
  row('waits', decisions, { path: () => `${decisions}/${randomUUID()}?wait=30`, ...burst(300) }),
  row('tails', `${decisions}/tail`, burst(250)),
  row('exports', `${decisions}/export?format=ndjson`, { atOnce: 50, needsAgents: true }),
  row('stats-by-agent', `${decisions}/stats?window=7d&group_by=agent_id`, {
    atOnce: 40,
    needsAgents: true
  }),
  row('logins', '/v1/auth/login', {
    ...burst(100),
    credential: 'none',
    bodies: () => listOf(100, wrongLogin)
  }),
  row('members', '/v1/ingest', { ...gzipped, atOnce: 8, bodies: () => members(600_000) }),
  row('members-accepted', '/v1/ingest', {
    ...gzipped,
    atOnce: 8,
    requestsMax: 40,
    bodies: () => members(340_000)
  }),
  row('gzip-bombs', '/v1/ingest', {
    ...gzipped,
    atOnce: 20,
    bodies: () => [gzipSync(Buffer.alloc(200 * 1024 * 1024), { level: 9 })]
  }),
  row('batches-over-limit', batch, {
    ...asAgent,
    atOnce: 4,
    needsSpentLimit: true,
    bodies: () => [json({ decisions: makeDecisions().slice(0, batchSize) })]
  })
]
