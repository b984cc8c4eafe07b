/** The handlers of everything about agents. */
import type { ProfileHandlers } from './profile-rows.ts'
import { createCompareVersions } from './compare-versions.ts'
import { createEditProfile } from './edit-profile.ts'
import { createListProfiles } from './list-profiles.ts'
import { createProfileParts } from './profile-parts.ts'
import { createReadProfile } from './read-profile.ts'
import { createListAgentDecisions } from './list-agent-decisions.ts'
import type { ListAgentDecisionsDependencies } from './list-agent-decisions.ts'

export function createProfiles(dependencies: ListAgentDecisionsDependencies): ProfileHandlers {
  return {
    listProfiles: createListProfiles(dependencies),
    readProfile: createReadProfile(dependencies),
    editProfile: createEditProfile(dependencies),
    listAgentDecisions: createListAgentDecisions(dependencies),
    compareVersions: createCompareVersions(dependencies),
    ...createProfileParts(dependencies)
  }
}
