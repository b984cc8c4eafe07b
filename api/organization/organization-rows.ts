/** The rows of an organization: its people, its API keys, and who changed what. */
import * as keys from './keys/api-key.operation.ts'
import { listAuditOperation } from './audit.operation.ts'
import * as invites from './invites/invite.operation.ts'
import * as members from './member.operation.ts'
import * as own from './organization.operation.ts'
import type { Guards, Row } from '../../auth/guards.ts'
import type { SessionHandle } from '../../http/route.ts'

export interface OrganizationHandlers {
  readonly showOrganization: SessionHandle
  readonly changeOrganization: SessionHandle
  readonly switchOrganization: SessionHandle
  readonly listMembers: SessionHandle
  readonly changeMember: SessionHandle
  readonly removeMember: SessionHandle
  readonly listInvites: SessionHandle
  readonly createInvite: SessionHandle
  readonly deleteInvite: SessionHandle
  readonly acceptInvite: SessionHandle
  readonly listKeys: SessionHandle
  readonly createKey: SessionHandle
  readonly showKey: SessionHandle
  readonly changeKey: SessionHandle
  readonly rotateKey: SessionHandle
  readonly revokeKey: SessionHandle
  readonly listAudit: SessionHandle
}

/** Any session sees whose it is and who else belongs to it; all else is for admins. */
// prettier-ignore
export function organizationRows(to: OrganizationHandlers, guards: Guards): readonly Row[] {
  const { session, sessionAs } = guards
  const admin = sessionAs('admin')
  const ours = '/v1/auth/organization'
  const member = `${ours}/members/:user_id`
  const invited = `${ours}/invites`
  return [
    ['get',    ours,              session(own.showOrganizationOperation, to.showOrganization)],
    ['patch',  ours,              admin(own.changeOrganizationOperation, to.changeOrganization)],
    ['post',   `${ours}/switch`,  session(own.switchOrganizationOperation, to.switchOrganization)],
    ['get',    `${ours}/members`, session(members.listMembersOperation, to.listMembers)],
    ['patch',  member,            admin(members.changeMemberOperation, to.changeMember)],
    // Anybody may leave.
    ['delete', member,            session(members.removeMemberOperation, to.removeMember)],
    ['get',    invited,           admin(invites.listInvitesOperation, to.listInvites)],
    ['post',   invited,           admin(invites.createInviteOperation, to.createInvite)],
    ['delete', `${invited}/:invite_id`, admin(invites.deleteInviteOperation, to.deleteInvite)],
    ['post',   '/v1/auth/invites/accept', session(invites.acceptInviteOperation, to.acceptInvite)],
    ...keyRows(to, guards),
    ['get',    '/v1/auth/audit',  admin(listAuditOperation, to.listAudit)]
  ]
}

// prettier-ignore
function keyRows(to: OrganizationHandlers, { sessionAs }: Guards): readonly Row[] {
  const admin = sessionAs('admin')
  const all = '/v1/auth/api-keys'
  const one = `${all}/:key_id`
  return [
    ['get',    all,              admin(keys.listKeysOperation, to.listKeys)],
    ['post',   all,              admin(keys.createKeyOperation, to.createKey)],
    ['get',    one,              admin(keys.showKeyOperation, to.showKey)],
    ['patch',  one,              admin(keys.changeKeyOperation, to.changeKey)],
    ['delete', one,              admin(keys.deleteKeyOperation, to.revokeKey)],
    ['post',   `${one}/rotate`,  admin(keys.rotateKeyOperation, to.rotateKey)],
    ['post',   `${one}/revoke`,  admin(keys.revokeKeyOperation, to.revokeKey)]
  ]
}
