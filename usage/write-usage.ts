/** Writes drained usage counters to Redis. A batch that is written twice is counted once. */
import type { Redis } from '../platform/redis/redis.ts'
import type { AgentCounters, DrainedUsage, KeyCounters, RejectedAttempt } from './usage.ts'
import { attemptsMax } from './usage-counters.ts'
import { accepted, agentDigest, agentsName, attemptsName, droppedAs } from './usage-keys.ts'
import { fieldOf, keptSeconds, keysName, otherOwners, useName } from './usage-keys.ts'

/** Drained usage counters of one hour. */
export interface UsageBatch {
  readonly hour: number
  /** Greater than the sequence number of every earlier batch. */
  readonly sequence: number
  readonly usage: DrainedUsage
}

/**
 * Writes a batch.
 * @throws if the write may be incomplete; the same batch can be written again
 */
export type WriteUsage = (batch: UsageBatch) => Promise<void>

/** Maximum number of fields per organization and hour. Further fields are counted under `other`. */
export const fieldsMax = 2000
/** Maximum number of commands per pipeline. Longer pipelines would delay other Redis clients. */
const commandsMax = 200

/**
 * Adds the counts unless this writer has already added this batch, so that a write can be retried.
 * If the hash is full, the counts of new fields go to `other`, which keeps the kind of count but
 * not its owner.
 */
const addOnce = `
local name, writer, sequence = KEYS[1], ARGV[1], tonumber(ARGV[2])
if tonumber(redis.call('hget', name, writer) or '0') >= sequence then return 0 end
redis.call('hset', name, writer, sequence)
local fields = redis.call('hlen', name)
for at = 5, #ARGV, 2 do
  local field, count = ARGV[at], tonumber(ARGV[at + 1])
  if fields >= tonumber(ARGV[3]) and redis.call('hexists', name, field) == 0 then
    field = '${otherOwners}' .. string.match(field, ' .*$')
  end
  if redis.call('hincrby', name, field, count) == count then fields = fields + 1 end
end
redis.call('expire', name, ARGV[4])
return 1
`

type Pipeline = ReturnType<Redis['pipeline']>
type Command = (pipeline: Pipeline) => unknown
type Counts = Map<string, number>

/** @param writer a unique name for this process */
export function createWriteUsage(redis: Redis, writer: string): WriteUsage {
  const addCounts = (name: string, sequence: number, counts: Counts): Command => {
    const values = [...counts].flatMap(([field, count]) => [field, String(count)])
    const options = [`writer:${writer}`, String(sequence), String(fieldsMax), String(keptSeconds)]
    return (pipeline) => pipeline.eval(addOnce, 1, name, ...options, ...values)
  }

  return async function writeUsage({ hour, sequence, usage }) {
    const { keys, organizations } = usage
    const commands: Command[] = []
    for (const [name, counts] of countsOf(usage, hour)) {
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
  const results = (await pipeline.exec()) ?? []
  for (const [error] of results) if (error !== null) throw error
}

function countsOf({ keys, organizations }: DrainedUsage, hour: number): Map<string, Counts> {
  const hashes = new Map<string, Counts>()
  for (const [keyId, key] of keys) {
    const name = keysName(key.organization_id, hour)
    addTo(hashes, name, keyCounts(keyId, key))
  }
  for (const [organizationId, { agents }] of organizations) {
    const name = agentsName(organizationId, hour)
    for (const [agentId, agent] of agents)
      addTo(hashes, name, rejectionFields(agentDigest(agentId), agent))
  }
  return hashes
}

/**
 * Adds counts to a hash. Fields beyond the first `fieldsMax` are counted under `other`, because
 * `addOnce` would not store them separately.
 */
function addTo(hashes: Map<string, Counts>, name: string, counts: readonly [string, number][]) {
  const all = hashes.get(name) ?? new Map<string, number>()
  hashes.set(name, all)
  for (const [field, count] of counts) {
    const kept = all.size < fieldsMax ? field : field.replace(/^\S+/, otherOwners)
    all.set(kept, (all.get(kept) ?? 0) + count)
  }
}

function keyCounts(keyId: string, key: KeyCounters): [string, number][] {
  const taken: [string, number][] =
    key.accepted === 0 ? [] : [[fieldOf(keyId, accepted), key.accepted]]
  return [...taken, ...rejectionFields(keyId, key)]
}

function rejectionFields(owner: string, { rejected, dropped }: AgentCounters): [string, number][] {
  return [
    ...[...rejected].map(([code, count]): [string, number] => [fieldOf(owner, code), count]),
    ...[...dropped].map(([reason, count]): [string, number] => {
      return [fieldOf(owner, droppedAs(reason)), count]
    })
  ]
}

/** Returns commands that are safe to repeat: a sorted set stores the same attempt only once. */
function attemptCommands(name: string, attempts: readonly RejectedAttempt[]): Command[] {
  if (attempts.length === 0) return []
  const scored = attempts.flatMap((attempt) => [attempt.at, JSON.stringify(attempt)])
  return [
    (pipeline) => pipeline.zadd(name, ...scored),
    (pipeline) => pipeline.zremrangebyrank(name, 0, -1 - attemptsMax),
    (pipeline) => pipeline.expire(name, keptSeconds)
  ]
}
