/** The frame of every page: the rail with navigation, organization, theme and time zone. */
import { useState } from 'react'
import type { ReactNode } from 'react'
import { lacksScore, useOnboarding } from '../onboarding/use-onboarding.ts'
import { switchOrganization, useMe } from '../session/use-session.ts'
import { visible } from '../text/visible.ts'
import { ThemeSelect, ZoneSelect } from '../ui/appearance.tsx'
import { NavLink } from '../ui/nav-link.tsx'
import { ProblemBox } from '../ui/problem-box.tsx'
import { SignOutButton } from '../ui/sign-out-button.tsx'
import { OpenCount } from './dead-letters/open-count.tsx'
import { navigation } from './navigation.ts'
import { Shortcuts } from './shortcuts.tsx'

export function Shell({ children }: { readonly children: ReactNode }) {
  // The page comes first: the rail reads its facts after the first requests of the page.
  const isReady = useMe().data !== undefined
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <nav className="rail" aria-label="Main">
        <p className="brand">Sluice</p>
        <Organization />
        {isReady && <WelcomeLink />}
        {navigation.map((page) => (
          <NavLink key={page.path} href={page.path} section={page.path.split('/', 2).join('/')}>
            {page.name}
            {isReady && page.path === '/dead-letters' && <OpenCount />}
          </NavLink>
        ))}
        <Shortcuts />
        <div className="rail-foot">
          <ThemeSelect />
          <ZoneSelect />
          <Account />
        </div>
      </nav>
      <div id="content" className="content">
        {children}
      </div>
    </div>
  )
}

function WelcomeLink() {
  return lacksScore(useOnboarding().data) && <NavLink href="/welcome" children="Welcome" />
}

function Organization() {
  const { data } = useMe()
  const [error, setError] = useState<Error | null>(null)
  if (data === undefined) return <p className="organization"> </p>
  const { organizations, organization_id } = data
  const current = organizations.find(({ id }) => id === organization_id)
  if (organizations.length < 2)
    return <p className="organization">{visible(current?.name ?? '')}</p>
  const change = (id: string): void => {
    switchOrganization(id).then(
      () => setError(null),
      (failure: unknown) => setError(failure instanceof Error ? failure : null)
    )
  }
  return (
    <label className="organization">
      Organization
      <select value={organization_id} onChange={(event) => change(event.target.value)}>
        {organizations.map(({ id, name }) => (
          <option key={id} value={id}>
            {visible(name)}
          </option>
        ))}
      </select>
      {error !== null && <ProblemBox error={error} />}
    </label>
  )
}

function Account() {
  const email = useMe().data?.user.email
  return (
    <>
      <p className="quiet ellipsis" title={email}>
        {email}
      </p>
      <SignOutButton label="Sign out" />
    </>
  )
}
