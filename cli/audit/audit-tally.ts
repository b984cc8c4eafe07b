/** Counts audited messages by outcome, and collects the missing ones. */
import type { Gap } from '../../platform/kafka/topic-fetcher.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import { missingRecordsMax } from './audit-report.ts'
import type { MissingRecord } from './audit-report.ts'
import type { AuditOutcome, AuditResult } from './audit-result.ts'

export function createAuditTally() {
  const counts: Record<AuditOutcome, number> = {
    stored: 0,
    duplicate: 0,
    conflict: 0,
    dead_lettered: 0,
    erased: 0,
    in_flight: 0,
    missing: 0
  }
  const gaps: Record<Gap['kind'], number> = { transaction: 0, absent: 0, deleted: 0 }
  const missing: MissingRecord[] = []
  let offsets = 0

  return {
    counts,
    gaps,
    missing,
    offsets: (): number => offsets,
    addGaps: (found: readonly Gap[]): void => {
      for (const { kind, from, to } of found) gaps[kind] += Number(to - from)
    },
    addInFlight: (messages: readonly Message[]): void => {
      offsets += messages.length
      counts.in_flight += messages.length
    },
    add: (message: Message, result: AuditResult, identity?: Identity): void => {
      offsets += 1
      counts[result.outcome] += 1
      if (result.outcome !== 'missing' || missing.length === missingRecordsMax) return
      const { partition, offset } = message
      const { organization_id, decision_id } = identity ?? {}
      missing.push({
        partition,
        offset: Number(offset),
        why: result.why,
        ...(organization_id === undefined ? {} : { organization_id }),
        ...(decision_id === undefined ? {} : { decision_id })
      })
    }
  }
}

export interface Identity {
  readonly organization_id: string
  readonly decision_id: string
}

export type AuditTally = ReturnType<typeof createAuditTally>
