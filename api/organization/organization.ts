/** GET and PATCH of /v1/auth/organization: the one that the session acts for. */
import { Problem } from '../../core/problem.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionPrincipal } from '../../core/principal.ts'
import type { Reply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { takeTurn } from '../configuration/take-turn.ts'
import type { Store } from '../store.ts'
import { refuseManaging } from './refuse-managing.ts'

interface OrganizationRow extends Row {
  readonly organization_id: string
  readonly name: string
  readonly rate_limit_points: number | null
  readonly created_at: Date
  readonly members: number
}

export function createOrganization({ store }: { readonly store: Store }) {
  const showOrganization: SessionHandle = ({ principal }) => replyTo(store, principal)

  const changeOrganization: SessionHandle = async (call) => {
    const { name } = call.body as { readonly name: string }
    await takeTurn(store, call, async (edit) => {
      await refuseManaging(edit, [])
      await edit.query(`update organizations set name = $2 where organization_id = $1`, [
        edit.organizationId,
        name
      ])
      await edit.audit('organization.renamed', edit.organizationId, { name })
    })
    return replyTo(store, call.principal)
  }

  return { showOrganization, changeOrganization }
}

async function replyTo(store: Store, { organization_id, role }: SessionPrincipal): Promise<Reply> {
  const [found] = await store.of(organization_id).query<OrganizationRow>(
    `select o.organization_id, o.name, o.rate_limit_points, o.created_at,
            (select count(*) from memberships m where m.organization_id = $1) as members
       from organizations o where o.organization_id = $1`,
    [organization_id]
  )
  if (found !== undefined) return jsonReply(200, JSON.stringify({ ...found, role }))
  const detail = 'The organization that the session acts for is not there any more.'
  throw new Problem('organization_not_found', { detail })
}
