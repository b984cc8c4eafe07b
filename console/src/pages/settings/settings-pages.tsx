/** The settings, with links between their pages. They are loaded when the first is opened. */
import { Link } from 'wouter'
import { NotFound } from '../not-found.tsx'
import { railLinkClass } from '../shell.tsx'
import { KeysPage } from './keys/keys-page.tsx'
import { SessionsPage } from './sessions-page.tsx'
import '../evaluation/evaluation.css'

const pages = new Map(Object.entries({ keys: KeysPage, sessions: SessionsPage }))

export function SettingsPages({ name }: { readonly name: string }) {
  const Found = pages.get(name) ?? NotFound
  return (
    <>
      <nav className="tabs" aria-label="Settings">
        {[...pages.keys()].map((each) => (
          <Link key={each} href={`/settings/${each}`} className={railLinkClass} children={each} />
        ))}
      </nav>
      <Found />
    </>
  )
}
