/** PATCH /v1/profiles/:agent_id: what people say of an agent. */
import type { Queryable } from '../../platform/postgres/postgres.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { auditOriginOf, recordAudit } from '../organization/record-audit.ts'
import type { Store } from '../store.ts'
import type { Prices } from './measures/agent-cost.ts'
import { agentIdOf, agentNameOf } from './agent-name.ts'
import { agentNotFound, editableOf, identityOf, recordColumns } from './agent-record.ts'
import { recordTables } from './agent-record.ts'
import type { AgentRecord } from './agent-record.ts'

export interface ProfileBody {
  readonly name?: string | null
  readonly description?: string | null
  readonly owner?: string | null
  readonly tags?: readonly string[]
  readonly prices?: Prices | null
  readonly archived?: boolean
}

type Change = Pick<AgentRecord, 'name' | 'description' | 'owner' | 'tags' | 'prices'> & {
  readonly archived: boolean
}

export function createEditProfile({ store }: { readonly store: Store }): SessionHandle {
  return async function editProfile(call) {
    const { principal, params } = call
    const body = call.body as ProfileBody
    const organizationId = principal.organization_id
    const agentId = agentIdOf(params['agent_id'] ?? '')
    const changed = await store.of(organizationId).change(async (transaction) => {
      const before = await lockRecord(transaction, organizationId, agentId)
      if (before === null) throw agentNotFound()
      const change = changeOf(body, before)
      await writeProfile(
        transaction,
        { organizationId, agentId, userId: principal.user_id },
        change
      )
      await recordAudit(transaction, {
        ...auditOriginOf(call),
        action: 'profile.changed',
        target: { kind: 'agent', id: agentNameOf(agentId) },
        details: { members: Object.keys(body) }
      })
      return await readRecord(transaction, organizationId, agentId)
    })
    if (changed === null) throw agentNotFound()
    return jsonReply(200, JSON.stringify({ ...identityOf(changed), ...editableOf(changed) }))
  }
}

const waitForTurn = 'select pg_advisory_xact_lock(hashtextextended($1, 0))'

/** Who changes another member at the same time waits, and loses nothing of either. */
async function lockRecord(transaction: Queryable, organizationId: string, agentId: string) {
  await transaction.query(waitForTurn, [`sluice profile ${organizationId} ${agentId}`])
  return await readRecord(transaction, organizationId, agentId)
}

async function readRecord(
  transaction: Queryable,
  organizationId: string,
  agentId: string
): Promise<AgentRecord | null> {
  const rows = await transaction.query<AgentRecord>(
    `select ${recordColumns}
       from ${recordTables}
      where a.organization_id = $1
        and a.agent_id = $2`,
    [organizationId, agentId]
  )
  return rows[0] ?? null
}

/** Members that are left out stay. */
function changeOf(body: ProfileBody, before: AgentRecord): Change {
  const { prices } = body
  const { name, description, owner, tags } = { ...before, ...body }
  const pricesText = prices === undefined ? before.prices : textOf(prices)
  const archived = body.archived ?? before.archived_at !== null
  return { name, description, owner, tags: [...new Set(tags ?? [])], prices: pricesText, archived }
}

function textOf(prices: Prices | null): string | null {
  return prices === null ? null : JSON.stringify(prices)
}

async function writeProfile(
  transaction: Queryable,
  {
    organizationId,
    agentId,
    userId
  }: Readonly<Record<'organizationId' | 'agentId' | 'userId', string>>,
  { name, description, owner, tags, prices, archived }: Change
): Promise<void> {
  await transaction.query(
    `insert into agent_profiles as p (organization_id, agent_id, name, description, owner, tags,
                                      prices, archived_at, updated_by)
     values ($1, $2, $3, $4, $5, $6, $7, case when $8::boolean then now() end, $9)
     on conflict (organization_id, agent_id) do update
        set name = excluded.name, description = excluded.description, owner = excluded.owner,
            tags = excluded.tags, prices = excluded.prices,
            archived_at = case when $8 then coalesce(p.archived_at, now()) end,
            updated_at = now(), updated_by = excluded.updated_by`,
    [...[organizationId, agentId, name, description, owner], ...[tags, prices, archived, userId]]
  )
}
