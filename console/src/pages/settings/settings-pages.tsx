/** The settings: a menu, and one page for each part. */
import { Link, Route, Switch, useLocation } from 'wouter'
import { NotFound } from '../not-found.tsx'
import { KeysPage } from './keys/keys-page.tsx'

const pages = [{ path: '/settings/keys', name: 'API keys', Content: KeysPage }] as const

export function SettingsPages() {
  const [location] = useLocation()
  return (
    <>
      <nav className="sub-nav" aria-label="Settings">
        {pages.map(({ path, name }) => (
          <Link key={path} href={path} aria-current={path === location ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <Switch>
        {pages.map(({ path, Content }) => (
          <Route key={path} path={path}>
            <Content />
          </Route>
        ))}
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </>
  )
}
