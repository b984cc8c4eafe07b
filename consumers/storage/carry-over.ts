/** Lets a group that is new begin where another one has come. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { KafkaAdmin } from '../../platform/kafka/kafka-admin.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'

export interface CarryOver {
  readonly admin: Pick<KafkaAdmin, 'readCommitted' | 'setCommitted'>
  /** The group before, which read the topic too. */
  readonly from: string
  readonly groupId: string
  readonly topic: string
  readonly logger: Logger
  readonly signal: AbortSignal
}

const againMs = 1000

/**
 * What the group before has committed; a group that has committed something stays as it is. A new
 * broker knows no groups for its first seconds, so it is tried until it succeeds.
 */
export async function carryOver(options: CarryOver): Promise<void> {
  const { groupId, logger, signal } = options
  while (!signal.aborted) {
    try {
      return await copyCommitted(options)
    } catch (error) {
      logger.warn({ group: groupId, error }, 'could not look where the group begins; trying again')
      await sleep(againMs)
    }
  }
}

async function copyCommitted({ admin, from, groupId, topic }: CarryOver): Promise<void> {
  const own = await admin.readCommitted(groupId, topic)
  if (own.some(isCommitted)) return
  const before = [...(await admin.readCommitted(from, topic)).entries()]
  const offsets = new Map(before.filter(([, offset]) => isCommitted(offset)))
  if (offsets.size > 0) await admin.setCommitted(groupId, topic, offsets)
}

function isCommitted(offset: bigint): boolean {
  return offset >= 0n
}
