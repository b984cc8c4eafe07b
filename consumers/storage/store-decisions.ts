/** Stores decisions in Postgres, one transaction per batch, each identity once. */
import { deadLetter, done, duplicate, erased } from '../../core/message-outcome.ts'
import type { MessageOutcome } from '../../core/message-outcome.ts'
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { fingerprintOf } from '../../core/decision/fingerprint.ts'
import { isOfSpan } from '../../core/decision/of-span.ts'
import { deleteEvaluations } from '../../store/delete-evaluations.ts'
import { findErased } from '../../store/find-erased.ts'
import type { Postgres, Queryable } from '../../platform/postgres/postgres.ts'
import type { StoreBatch } from './bisect.ts'
import { claimIdentities } from './claim-identities.ts'
import type { IdentityClaim, NewIdentity } from './claim-identities.ts'
import { correctEvaluations } from './correct-evaluations.ts'
import { insertDecisions } from './insert-decisions.ts'
import { recordConsumed } from '../record-consumed.ts'

/**
 * Creates a function that stores decisions and returns one outcome for each, in the order of the
 * decisions.
 * - `done`: the decision is the first with its identity.
 * - `duplicate`: the same decision, or another one of the same span, is already stored.
 * - `dead_letter`: another decision has the same ID.
 * - `erased`: an erasure covers the decision, or its identity is a tombstone.
 */
export function createStoreDecisions({ postgres }: { postgres: Postgres }): StoreBatch<Decision> {
  return function storeDecisions(decisions, consumption) {
    return postgres.transaction(async (transaction) => {
      await recordConsumed(transaction, consumption)
      if (decisions.length === 0) return []
      return await store(transaction, decisions, consumption.partition)
    })
  }
}

async function store(
  transaction: Queryable,
  decisions: readonly Decision[],
  partition: number
): Promise<MessageOutcome[]> {
  const isErased = await findErased(transaction, decisions)
  const identities = decisions.map((decision) => identityOf(decision, isErased(decision)))
  const claims = await claimIdentities(transaction, identities)
  const claimed = identities.map((identity, index) => {
    const claim = claims.get(identity.name)
    if (claim === undefined) throw new Error('an identity was neither claimed nor found')
    return { identity, claim, decision: decisions[index] as Decision }
  })
  const outcomes = claimed.map(outcomeOf)
  await insertDecisions(
    transaction,
    decisions.filter((_, index) => outcomes[index] === done)
  )
  const rejected = decisions.filter((_, index) => isRejected(claimed[index]))
  await correctEvaluations(transaction, rejected, partition)
  const gone = decisions.filter((_, index) => claimed[index]?.claim.isErased)
  if (gone.length > 0) await deleteEvaluations(transaction, gone)
  return outcomes
}

interface Claimed {
  readonly identity: NewIdentity
  readonly claim: IdentityClaim
  readonly decision: Decision
}

/**
 * Returns `erased` if an erasure covers the decision, even if another decision owns the identity.
 */
function outcomeOf({ identity, claim, decision }: Claimed): MessageOutcome {
  if (claim.isErased || identity.isErased) return erased
  if (claim.winner === identity) return done
  if (claim.fingerprint.equals(identity.fingerprint) || isOfSpan(decision)) return duplicate
  return deadLetter('store', 'id_conflict', 'the decision_id is taken by another decision')
}

/**
 * Checks whether another decision owns the `decision_id`. Includes decisions covered by an erasure,
 * because they may have been evaluated before the erasure.
 */
function isRejected(claimed: Claimed | undefined): boolean {
  if (claimed === undefined) return false
  const { identity, claim } = claimed
  return !claim.isErased && !claim.fingerprint.equals(identity.fingerprint)
}

function identityOf(decision: Decision, isErased: boolean): NewIdentity {
  const { organization_id, decision_id, received_at } = decision
  return {
    name: identityNameOf(decision),
    organization_id,
    decision_id,
    received_at,
    fingerprint: fingerprintOf(decision),
    isErased
  }
}
