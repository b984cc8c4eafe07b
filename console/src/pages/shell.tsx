/** The frame of every page: the rail with navigation, organization, theme and time zone. */
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useOnboarding } from '../onboarding/use-onboarding.ts'
import { applyTheme, browserZone, themes, useTheme, useZone } from '../ui/preferences.ts'
import { signOut, switchOrganization, useMe } from '../session/use-session.ts'
import { ProblemBox } from '../ui/problem-box.tsx'
import { navigation } from './navigation.ts'
import { Shortcuts } from './shortcuts.tsx'

export function Shell({ children }: { readonly children: ReactNode }) {
  const isNew = useOnboarding().data?.complete === false
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <nav className="rail" aria-label="Main">
        <p className="brand">Sluice</p>
        <Organization />
        {isNew && <Link href="/welcome" className={railLinkClass} children="Welcome" />}
        {navigation.map(({ path, name }) => (
          <Link key={path} href={path} className={railLinkClass}>
            {name}
          </Link>
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

export function railLinkClass(isActive: boolean): string {
  return isActive ? 'rail-link active' : 'rail-link'
}

function Organization() {
  const { data } = useMe()
  const [error, setError] = useState<Error | null>(null)
  if (data === undefined) return <p className="organization"> </p>
  const { organizations, organization_id } = data
  const current = organizations.find(({ id }) => id === organization_id)
  if (organizations.length < 2) return <p className="organization">{current?.name}</p>
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
            {name}
          </option>
        ))}
      </select>
      {error !== null && <ProblemBox error={error} />}
    </label>
  )
}

function ThemeSelect() {
  const [theme, setTheme] = useTheme()
  const change = (next: string): void => {
    setTheme(next)
    applyTheme(next)
  }
  return (
    <label>
      Theme
      <select value={theme} onChange={(event) => change(event.target.value)}>
        {themes.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}

const zones = [...new Set([browserZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])]

function ZoneSelect() {
  const [zone, setZone] = useZone()
  return (
    <label>
      Time zone
      <select value={zone} onChange={(event) => setZone(event.target.value)}>
        {zones.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  )
}

function Account() {
  const { data } = useMe()
  const [error, setError] = useState<unknown>(null)
  return (
    <>
      <p className="quiet ellipsis" title={data?.user.email}>
        {data?.user.email}
      </p>
      {error instanceof Error && <ProblemBox error={error} />}
      <button type="button" className="small" onClick={() => void signOut().catch(setError)}>
        Sign out
      </button>
    </>
  )
}
