/** store: decisions into Postgres, one transaction a batch, each identity once. */
import { deadLetter, done, duplicate, erased } from '../../core/consumed.ts'
import type { Consumed } from '../../core/consumed.ts'
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { fingerprintOf } from '../../core/decision/fingerprint.ts'
import { deleteEvaluations } from '../../store/delete-evaluations.ts'
import { findErased } from '../../store/find-erased.ts'
import type { Postgres, Queryable } from '../../platform/postgres/postgres.ts'
import type { Store } from './bisect.ts'
import { claimIdentities } from './claim-identities.ts'
import type { Claim, Identity } from './claim-identities.ts'
import { correctEvaluations } from './correct-evaluations.ts'
import { insertDecisions } from './insert-decisions.ts'
import { recordConsumed } from '../record-consumed.ts'

/**
 * One outcome for each decision, in their order: done for the first of an identity, duplicate for
 * the same again, a dead letter when the same id comes with other content, and erased for what is
 * a tombstone or becomes one.
 */
export function createStoreDecisions({ postgres }: { postgres: Postgres }): Store<Decision> {
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
): Promise<Consumed[]> {
  const isErased = await findErased(transaction, decisions)
  const identities = decisions.map((decision) => identityOf(decision, isErased(decision)))
  const claims = await claimIdentities(transaction, identities)
  const claimed = identities.map((identity) => {
    const claim = claims.get(identity.name)
    if (claim === undefined) throw new Error('an identity was neither claimed nor found')
    return { identity, claim }
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
  readonly identity: Identity
  readonly claim: Claim
}

/** What a rule covers while another decision holds its identity was never stored either. */
function outcomeOf({ identity, claim }: Claimed): Consumed {
  if (claim.isErased || identity.isErased) return erased
  if (claim.winner === identity) return done
  if (claim.fingerprint.equals(identity.fingerprint)) return duplicate
  return deadLetter('store', 'id_conflict', 'the decision_id is taken by another decision')
}

/**
 * Whether another decision holds the `decision_id`. Includes erased decisions: evaluation may have
 * evaluated them before the erasure.
 */
function isRejected(claimed: Claimed | undefined): boolean {
  if (claimed === undefined) return false
  const { identity, claim } = claimed
  return !claim.isErased && !claim.fingerprint.equals(identity.fingerprint)
}

function identityOf(decision: Decision, isErased: boolean): Identity {
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
