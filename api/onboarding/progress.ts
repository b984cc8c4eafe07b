/** What an organization has come to so far: from what is stored, and what gateways have noted. */
import type { Row } from '../../platform/postgres/postgres.ts'
import type { KeyUse, RefusedAttempt } from '../../usage/facts.ts'
import type { ReadFacts } from '../../usage/read-facts.ts'
import type { OrganizationStore } from '../store.ts'

export interface Progress {
  /** Of who asks; null where no letters are sent. */
  readonly email: EmailState | null
  /** That can send, oldest first. */
  readonly keys: readonly IngestKey[]
  /** Newest first; null while nobody can know. */
  readonly attempts: readonly RefusedAttempt[] | null
  /** By key; null while nobody can know. */
  readonly uses: ReadonlyMap<string, KeyUse> | null
  readonly decision: FirstDecision | null
  readonly score: FirstScore | null
}

export interface EmailState extends Row {
  readonly email: string
  readonly email_verified_at: Date | null
}

export interface IngestKey extends Row {
  readonly key_id: string
  readonly name: string
  readonly created_at: Date
  readonly last_used_at: Date | null
}

export interface FirstDecision extends Row {
  readonly decision_id: string
  readonly received_at: Date
  readonly stored_at: Date
}

export interface FirstScore extends Row {
  readonly decision_id: string
  readonly name: string
  readonly evaluated_at: Date
}

export interface ReadProgressDependencies {
  readonly readFacts: Pick<ReadFacts, 'attempts' | 'keyUse'>
  /** Whether letters are sent, so that an address can be verified. */
  readonly hasMail: boolean
}

export type ReadProgress = (store: OrganizationStore, userId: string) => Promise<Progress>

/** Of so many it is looked at whether somebody has used them. */
const keysMax = 100

export function createReadProgress(dependencies: ReadProgressDependencies): ReadProgress {
  const { readFacts, hasMail } = dependencies

  return async function readProgress(store, userId) {
    const keys = await readKeys(store)
    const [email, attempts, uses, decision, score] = await Promise.all([
      hasMail ? readEmail(store, userId) : null,
      readFacts.attempts(store.organizationId),
      readFacts.keyUse(keys.map(({ key_id }) => key_id)),
      readDecision(store),
      readScore(store)
    ])
    return { email, keys, attempts, uses, decision, score }
  }
}

async function readEmail(store: OrganizationStore, userId: string): Promise<EmailState | null> {
  const rows = await store.query<EmailState>(
    'select email, email_verified_at from users where user_id = $1',
    [userId]
  )
  return rows[0] ?? null
}

function readKeys(store: OrganizationStore): Promise<IngestKey[]> {
  return store.query<IngestKey>(
    `select key_id, name, created_at, last_used_at
       from api_keys
      where organization_id = $1 and scopes && array['ingest', 'admin']
        and revoked_at is null and (expires_at is null or expires_at > now())
      order by created_at, key_id
      limit ${keysMax}`,
    [store.organizationId]
  )
}

/** Its hour first: of the days of decisions only one is looked at then. */
async function readDecision(store: OrganizationStore): Promise<FirstDecision | null> {
  const [first] = await store.query<{ hour: Date } & Row>(
    `select hour
       from decision_hours
      where organization_id = $1 and decisions > 0
      order by hour
      limit 1`,
    [store.organizationId]
  )
  if (first === undefined) return null
  const rows = await store.query<FirstDecision>(
    `select decision_id, received_at, stored_at
       from decisions
      where organization_id = $1
        and received_at >= $2::timestamptz
        and received_at < $2::timestamptz + interval '1 hour'
      order by received_at, decision_id
      limit 1`,
    [store.organizationId, first.hour]
  )
  return rows[0] ?? null
}

function firstScoreOf(table: string): string {
  return `(select decision_id, name, evaluated_at
               from ${table}
              where organization_id = $1 and evaluated_at is not null and name is not null
              order by evaluated_at, decision_id
              limit 1)`
}

async function readScore(store: OrganizationStore): Promise<FirstScore | null> {
  const rows = await store.query<FirstScore>(
    `select *
       from (${firstScoreOf('packed_runs')} union all ${firstScoreOf('later_scores')}) as first
      order by evaluated_at
      limit 1`,
    [store.organizationId]
  )
  return rows[0] ?? null
}
