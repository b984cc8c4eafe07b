/** Writes drained facts to Redis, so that writing them once more changes nothing. */
import type { Redis } from '../platform/redis/redis.ts'
import type { AgentFacts, DrainedFacts, KeyFacts, RefusedAttempt } from './facts.ts'
import { attemptsMax } from './noted-facts.ts'
import { accepted, agentDigest, agentsName, attemptsName, droppedAs } from './fact-names.ts'
import { fieldOf, keptSeconds, keysName, useName } from './fact-names.ts'

/** Facts of one hour, under a number that only they have. */
export interface FactBatch {
  readonly hour: number
  /** Above that of all batches before it. */
  readonly sequence: number
  readonly facts: DrainedFacts
}

/** @throws when anything of it may not be written; the same batch may be written again. */
export type WriteFacts = (batch: FactBatch) => Promise<void>

/** Of one organization in one hour; what comes later counts for `other`. */
export const fieldsMax = 2000
/** So that nobody else on the server waits long. */
const commandsMax = 200

/**
 * Adds up, unless this writer has added this batch before: whoever heard no answer asks again. A
 * count that finds no room is kept as what it is, and whose it was is forgotten.
 */
const addOnce = `
local name, writer, sequence = KEYS[1], ARGV[1], tonumber(ARGV[2])
if tonumber(redis.call('hget', name, writer) or '0') >= sequence then return 0 end
redis.call('hset', name, writer, sequence)
local fields = redis.call('hlen', name)
for at = 5, #ARGV, 2 do
  local field, count = ARGV[at], tonumber(ARGV[at + 1])
  if fields >= tonumber(ARGV[3]) and redis.call('hexists', name, field) == 0 then
    field = 'other' .. string.match(field, ' .*$')
  end
  if redis.call('hincrby', name, field, count) == count then fields = fields + 1 end
end
redis.call('expire', name, ARGV[4])
return 1
`

type Pipeline = ReturnType<Redis['pipeline']>
type Command = (pipeline: Pipeline) => unknown
type Counts = Map<string, number>

/** @param writer names this process; no other may have its name. */
export function createWriteFacts(redis: Redis, writer: string): WriteFacts {
  const addCounts = (name: string, sequence: number, counts: Counts): Command => {
    const values = [...counts].flatMap(([field, count]) => [field, String(count)])
    const options = [`writer:${writer}`, String(sequence), String(fieldsMax), String(keptSeconds)]
    return (pipeline) => pipeline.eval(addOnce, 1, name, ...options, ...values)
  }

  return async function writeFacts({ hour, sequence, facts }) {
    const { keys, organizations } = facts
    const commands: Command[] = []
    for (const [name, counts] of countsOf(facts, hour)) {
      if (counts.size > 0) commands.push(addCounts(name, sequence, counts))
    }
    for (const [organizationId, { attempts }] of organizations) {
      commands.push(...attemptCommands(attemptsName(organizationId), attempts))
    }
    for (const [keyId, { use }] of keys) {
      if (use === null) continue
      const text = JSON.stringify(use)
      commands.push((pipeline) => pipeline.set(useName(keyId), text, 'EX', keptSeconds))
    }
    for (let at = 0; at < commands.length; at += commandsMax) {
      await run(redis, commands.slice(at, at + commandsMax))
    }
  }
}

async function run(redis: Redis, commands: readonly Command[]): Promise<void> {
  const pipeline = redis.pipeline()
  for (const command of commands) command(pipeline)
  const answers = (await pipeline.exec()) ?? []
  for (const [error] of answers) if (error !== null) throw error
}

function countsOf({ keys, organizations }: DrainedFacts, hour: number): Map<string, Counts> {
  const hashes = new Map<string, Counts>()
  for (const [keyId, key] of keys) {
    const name = keysName(key.organization_id, hour)
    addTo(hashes, name, keyCounts(keyId, key))
  }
  for (const [organizationId, { agents }] of organizations) {
    const name = agentsName(organizationId, hour)
    for (const [agentId, agent] of agents)
      addTo(hashes, name, refusals(agentDigest(agentId), agent))
  }
  return hashes
}

/** Nobody sends more than what may be kept. */
function addTo(hashes: Map<string, Counts>, name: string, counts: readonly [string, number][]) {
  const all = hashes.get(name) ?? new Map<string, number>()
  hashes.set(name, all)
  for (const [field, count] of counts) {
    const kept = all.size < fieldsMax ? field : field.replace(/^\S+/, 'other')
    all.set(kept, (all.get(kept) ?? 0) + count)
  }
}

function keyCounts(keyId: string, key: KeyFacts): [string, number][] {
  const taken: [string, number][] =
    key.accepted === 0 ? [] : [[fieldOf(keyId, accepted), key.accepted]]
  return [...taken, ...refusals(keyId, key)]
}

function refusals(whose: string, { rejected, dropped }: AgentFacts): [string, number][] {
  return [
    ...[...rejected].map(([code, count]): [string, number] => [fieldOf(whose, code), count]),
    ...[...dropped].map(([reason, count]): [string, number] => {
      return [fieldOf(whose, droppedAs(reason)), count]
    })
  ]
}

/** In a set the same attempt is there once. */
function attemptCommands(name: string, attempts: readonly RefusedAttempt[]): Command[] {
  if (attempts.length === 0) return []
  const scored = attempts.flatMap((attempt) => [attempt.at, JSON.stringify(attempt)])
  return [
    (pipeline) => pipeline.zadd(name, ...scored),
    (pipeline) => pipeline.zremrangebyrank(name, 0, -1 - attemptsMax),
    (pipeline) => pipeline.expire(name, keptSeconds)
  ]
}
