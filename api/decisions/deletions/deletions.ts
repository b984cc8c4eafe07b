/** Deletions: what an organization asks to be erased. Storage does it, and keeps it out. */
import type { Clock } from '../../../core/clock.ts'
import { Problem } from '../../../core/problem.ts'
import { untilStorageLetsGo, writeErasure } from '../../../store/erasure/erasure-table.ts'
import type { Erasure } from '../../../store/erasure/erasure-table.ts'
import type { Queryable } from '../../../platform/postgres/postgres.ts'
import { jsonReply } from '../../../http/call.ts'
import type { SessionPrincipal } from '../../../core/principal.ts'
import type { Reply } from '../../../http/call.ts'
import type { CheckedCall, SessionHandle } from '../../../http/route.ts'
import { auditOriginOf, recordAudit } from '../../organization/record-audit.ts'
import type { Store } from '../../store.ts'
import { decisionNotFound, readWatermark } from '../../watermark.ts'
import { countFound, foundMax } from './count-found.ts'
import type { DeletionTarget } from './count-found.ts'
import { readDeletionRequest } from './deletion-request.ts'
import { deletionViewOf } from './deletion-view.ts'

export interface DeletionDependencies {
  readonly store: Store
  readonly decisionsTopic: string
  readonly clock: Clock
}

type SessionCall = CheckedCall<SessionPrincipal>

interface Asked {
  readonly target: DeletionTarget
  readonly reason: string | null
  readonly found: number
}

/** One decision, which is there. */
export function createDeleteDecision(dependencies: DeletionDependencies): SessionHandle {
  const { store, decisionsTopic, clock } = dependencies

  return async function deleteDecision(call) {
    const askedAt = clock.now()
    const ours = store.of(call.principal.organization_id)
    const subject = (call.params['decision_id'] ?? '').toLowerCase()
    const { reason = null } = call.query as { reason?: string }
    const target = { scope: 'decision', subject } as const
    const found = await countFound(ours, target, clock)
    if (found === 0) {
      throw decisionNotFound(await readWatermark(ours, decisionsTopic), askedAt, clock)
    }
    return await begin(store, call, { target, reason, found })
  }
}

/** All of a session, of an agent, or one decision; counted first. */
export function createRequestDeletion(dependencies: DeletionDependencies): SessionHandle {
  const { store, clock } = dependencies

  return async function requestDeletion(call) {
    const { target, reason, confirm } = readDeletionRequest(call.body)
    const found = await countFound(store.of(call.principal.organization_id), target, clock)
    if (confirm === null) {
      const members = { ...target, decisions_found: found, counted_up_to: foundMax }
      return jsonReply(200, JSON.stringify(members))
    }
    if (confirm !== found) throw countDiffers(confirm, found)
    return await begin(store, call, { target, reason, found })
  }
}

/** A second each, and one between them: about as long as a caller waits. */
const lockAttempts = 5

/** What is stored while it is counted and written down is erased with the rest. */
async function begin(store: Store, call: SessionCall, asked: Asked): Promise<Reply> {
  const { target, reason, found } = asked
  const { organization_id, user_id } = call.principal
  const { change } = store.of(organization_id)
  const write = async (transaction: Queryable): Promise<Erasure> => {
    const asks = { organization_id, ...target, requested_by: user_id, reason }
    const written = await writeErasure(transaction, asks)
    await recordAudit(transaction, {
      ...auditOriginOf(call),
      action: 'deletion.requested',
      target: { kind: target.scope, id: target.subject },
      details: { deletion_id: written.erasure_id, decisions_found: found, reason }
    })
    return written
  }
  const erasure = await untilStorageLetsGo(() => change(write), lockAttempts)
  const view = { ...deletionViewOf(erasure), decisions_found: found }
  return jsonReply(202, JSON.stringify(view))
}

function countDiffers(confirm: number, found: number): Problem {
  const detail = `${found} decisions are found now, and not ${confirm}.`
  return new Problem('count_differs', { detail, members: { decisions_found: found } })
}
