/** The settings, with links between their pages. They are loaded when the first is opened. */
import { Tabs } from '../../ui/nav-link.tsx'
import { NotFound } from '../not-found.tsx'
import { AppearancePage } from './appearance-page.tsx'
import { AuditPage } from './audit-page.tsx'
import { KeysPage } from './keys/keys-page.tsx'
import { MembersPage } from './members/members-page.tsx'
import { OrganizationPage } from './organization-page.tsx'
import { SessionsPage } from './sessions-page.tsx'
import '../evaluation/evaluation.css'

const pages = new Map(
  Object.entries({
    keys: KeysPage,
    organization: OrganizationPage,
    members: MembersPage,
    audit: AuditPage,
    sessions: SessionsPage,
    appearance: AppearancePage
  })
)

export function SettingsPages({ name }: { readonly name: string }) {
  const Found = pages.get(name) ?? NotFound
  return (
    <>
      <Tabs label="Settings" names={pages.keys()} />
      <Found />
    </>
  )
}
