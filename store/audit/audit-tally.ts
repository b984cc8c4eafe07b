/** Counts audited messages by outcome, partition and organization, and lists missing ones. */
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { Gap } from '../../platform/kafka/topic-fetcher.ts'
import { auditOutcomes } from './audit-result.ts'
import type { AuditOutcome, AuditResult, MissingRecord } from './audit-result.ts'
import type { OrganizationSlots } from './organization-slots.ts'

export type AuditCounts = Record<AuditOutcome, number>

/** The counts of all messages, or of those of one organization. */
export interface AuditFigures {
  readonly partitions: Map<number, AuditCounts>
  /** Number of messages by hour of their timestamp, in hours since 1970. */
  readonly hours: Map<number, number>
  /** The missing records that were found first, up to a maximum number. */
  readonly missing: MissingRecord[]
}

export interface AuditTally {
  readonly all: AuditFigures
  /** Only organizations that have a slot. */
  readonly organizations: Map<string, AuditFigures>
  readonly gaps: Record<Gap['kind'], number>
  /** @param identity absent if the message cannot be decoded */
  add(message: Message, result: AuditResult, identity?: Identity): void
  addGaps(gaps: readonly Gap[]): void
  /** Adds the counts of another tally to this one. */
  addTally(other: AuditTally): void
}

export interface Identity {
  readonly organization_id: string
  readonly decision_id: string
}

interface Collected {
  readonly result: AuditResult
  readonly message: Message
  readonly identity: Identity | undefined
}

const hourMs = 3_600_000
/** Maximum number of missing records to list, in total and per organization. */
const missingRecordsMax = 1000
const organizationRecordsMax = 20

export function createAuditTally(slots: OrganizationSlots): AuditTally {
  const all = createFigures()
  const organizations = new Map<string, AuditFigures>()
  const gaps: Record<Gap['kind'], number> = { transaction: 0, absent: 0, deleted: 0 }

  function figuresOf(organizationId: string): AuditFigures | null {
    const known = organizations.get(organizationId)
    if (known !== undefined) return known
    if (!slots.take(organizationId)) return null
    const figures = createFigures()
    organizations.set(organizationId, figures)
    return figures
  }

  return {
    all,
    organizations,
    gaps,
    add: (message, result, identity) => {
      const collected = { message, result, identity }
      addTo(all, missingRecordsMax, collected)
      const own = identity === undefined ? null : figuresOf(identity.organization_id)
      if (own !== null) addTo(own, organizationRecordsMax, collected)
    },
    addGaps: (found) => {
      for (const { kind, from, to } of found) gaps[kind] += Number(to - from)
    },
    addTally: (other) => {
      mergeInto(all, other.all, missingRecordsMax)
      for (const [organizationId, figures] of other.organizations) {
        const own = figuresOf(organizationId)
        if (own !== null) mergeInto(own, figures, organizationRecordsMax)
      }
      for (const [kind, count] of Object.entries(other.gaps)) gaps[kind as Gap['kind']] += count
    }
  }
}

/** Returns the counts of all partitions. */
export function totalOf({ partitions }: AuditFigures): AuditCounts {
  const total = createCounts()
  for (const counts of partitions.values()) addCounts(total, counts)
  return total
}

export function messagesIn(counts: AuditCounts): number {
  return auditOutcomes.reduce((sum, outcome) => sum + counts[outcome], 0)
}

function createFigures(): AuditFigures {
  return { partitions: new Map(), hours: new Map(), missing: [] }
}

function createCounts(): AuditCounts {
  return {
    stored: 0,
    duplicate: 0,
    conflict: 0,
    dead_lettered: 0,
    erased: 0,
    in_flight: 0,
    missing: 0
  }
}

function addTo(figures: AuditFigures, recordsMax: number, collected: Collected): void {
  const { result, message, identity } = collected
  const { partition, offset, timestamp } = message
  countsIn(figures, partition)[result.outcome] += 1
  addHour(figures, Math.floor(timestamp / hourMs), 1)
  if (result.outcome !== 'missing' || figures.missing.length >= recordsMax) return
  const { organization_id, decision_id } = identity ?? {}
  figures.missing.push({
    partition,
    offset: Number(offset),
    why: result.why,
    ...(organization_id === undefined ? {} : { organization_id }),
    ...(decision_id === undefined ? {} : { decision_id })
  })
}

function mergeInto(figures: AuditFigures, other: AuditFigures, recordsMax: number): void {
  for (const [partition, counts] of other.partitions) {
    addCounts(countsIn(figures, partition), counts)
  }
  for (const [hour, messages] of other.hours) addHour(figures, hour, messages)
  figures.missing.push(...other.missing.slice(0, recordsMax - figures.missing.length))
}

function addHour({ hours }: AuditFigures, hour: number, messages: number): void {
  hours.set(hour, (hours.get(hour) ?? 0) + messages)
}

function countsIn({ partitions }: AuditFigures, partition: number): AuditCounts {
  const known = partitions.get(partition)
  if (known !== undefined) return known
  const counts = createCounts()
  partitions.set(partition, counts)
  return counts
}

function addCounts(to: AuditCounts, counts: AuditCounts): void {
  for (const outcome of auditOutcomes) to[outcome] += counts[outcome]
}
