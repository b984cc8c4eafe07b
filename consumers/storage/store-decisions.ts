/** store: decisions into Postgres, one transaction a batch, each identity once. */
import { deadLetter, done, duplicate } from '../../core/consumed.ts'
import type { Consumed } from '../../core/consumed.ts'
import type { Decision } from '../../core/decision.ts'
import { fingerprintOf } from '../../core/fingerprint.ts'
import type { Postgres } from '../../platform/postgres.ts'
import { claimIdentities } from './claim-identities.ts'
import type { Identity } from './claim-identities.ts'
import { insertDecisions } from './insert-decisions.ts'

/**
 * One outcome for each decision, in their order: done for the first of an identity, duplicate for
 * the same again, and a dead letter when the same id comes with other content.
 */
export function createStoreDecisions({ postgres }: { postgres: Postgres }) {
  return function storeDecisions(decisions: readonly Decision[]): Promise<Consumed[]> {
    const identities = decisions.map(identityOf)
    return postgres.transaction(async (transaction) => {
      const claims = await claimIdentities(transaction, firstOfEach(identities))
      const winners = new Set<number>()
      const outcomes = identities.map((identity, index) => {
        const claim = claims.get(identity.name)
        if (claim === undefined) throw new Error('an identity was neither claimed nor found')
        const isFirst = claim.isNew && claim.index === index
        if (isFirst) winners.add(index)
        return isFirst ? done : repetitionOf(claim.fingerprint.equals(identity.fingerprint))
      })
      await insertDecisions(
        transaction,
        decisions.filter((_, index) => winners.has(index))
      )
      return outcomes
    })
  }
}

function repetitionOf(isSame: boolean): Consumed {
  if (isSame) return duplicate
  return deadLetter('store', 'id_conflict', 'the decision_id is taken by another decision')
}

function identityOf(decision: Decision, index: number): Identity {
  const { organization_id, decision_id, received_at } = decision
  return {
    name: `${organization_id}/${decision_id}`,
    index,
    organization_id,
    decision_id,
    received_at: new Date(received_at),
    fingerprint: fingerprintOf(decision)
  }
}

/** A batch may hold an identity twice: the first one claims it. */
function firstOfEach(identities: readonly Identity[]): Identity[] {
  return [...Map.groupBy(identities, ({ name }) => name).values()].flatMap((group) =>
    group.slice(0, 1)
  )
}
