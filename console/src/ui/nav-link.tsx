/** Links that are marked while their page, or a page below it, is shown. */
import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'

interface NavLinkProps {
  readonly href: string
  /** The path above all pages for which the link is marked. Default: the link itself. */
  readonly section?: string
  readonly children: ReactNode
}

export function NavLink({ href, section = href, children }: NavLinkProps) {
  const [path] = useLocation()
  const current = path === href ? 'page' : `${path}/`.startsWith(`${section}/`) || undefined
  return (
    <Link href={href} className="rail-link" aria-current={current}>
      {children}
    </Link>
  )
}

/** The titles of pages that differ from their names. */
const titles = new Map([
  ['/settings/keys', 'API keys'],
  ['/settings/audit', 'audit log'],
  ['/evaluation/health', 'health and budget']
])

interface TabsProps {
  /** The name of the section, which is the first part of its paths. */
  readonly label: string
  readonly names: Iterable<string>
}

/** Links between the pages of a section. */
export function Tabs({ label, names }: TabsProps) {
  const root = `/${label.toLowerCase()}`
  return (
    <nav className="tabs" aria-label={label}>
      {[...names].map((name) => (
        <NavLink key={name} href={`${root}/${name}`}>
          {titles.get(`${root}/${name}`) ?? name}
        </NavLink>
      ))}
    </nav>
  )
}
