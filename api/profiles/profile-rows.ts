/** The rows of profiles: who an agent is, how it is, and what it did. */
import * as parts from './profile-parts.operation.ts'
import * as profiles from './profile.operation.ts'
import type { Guards, Row } from '../../auth/guards.ts'
import type { PrincipalHandle, SessionHandle } from '../../http/route.ts'

export interface ProfileHandlers {
  readonly listProfiles: PrincipalHandle
  readonly readProfile: PrincipalHandle
  readonly editProfile: SessionHandle
  readonly readTimeseries: PrincipalHandle
  readonly readProfileScores: PrincipalHandle
  readonly readVersions: PrincipalHandle
  readonly compareVersions: PrincipalHandle
  readonly readDomains: PrincipalHandle
  readonly readSessions: PrincipalHandle
  readonly readAgentIngestion: PrincipalHandle
  readonly listAgentDecisions: SessionHandle
}

// prettier-ignore
export function profileRows(to: ProfileHandlers, guards: Guards): readonly Row[] {
  const reader = guards.sessionOr('profiles:read')
  const { session, sessionAs } = guards
  const member = sessionAs('member')
  const one = '/v1/profiles/:agent_id'
  return [
    ['get',   '/v1/profiles',       reader(profiles.listProfilesOperation, to.listProfiles)],
    ['get',   one,                  reader(profiles.readProfileOperation, to.readProfile)],
    ['patch', one,                  member(profiles.editProfileOperation, to.editProfile)],
    ['get',   `${one}/timeseries`,  reader(parts.readTimeseriesOperation, to.readTimeseries)],
    ['get',   `${one}/scores`,      reader(parts.readProfileScoresOperation, to.readProfileScores)],
    ['get',   `${one}/versions`,    reader(parts.readVersionsOperation, to.readVersions)],
    ['get',   `${one}/compare`,     reader(parts.compareVersionsOperation, to.compareVersions)],
    ['get',   `${one}/domains`,     reader(parts.readDomainsOperation, to.readDomains)],
    ['get',   `${one}/sessions`,    reader(parts.readSessionsOperation, to.readSessions)],
    ['get',   `${one}/ingestion`, reader(parts.readAgentIngestionOperation, to.readAgentIngestion)],
    // Keys read no decisions.
    ['get',   `${one}/decisions`, session(parts.listAgentDecisionsOperation, to.listAgentDecisions)]
  ]
}
