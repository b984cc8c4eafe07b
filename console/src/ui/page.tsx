/** The frame of a page: its title, what the user can do, and the content. */
import { useEffect } from 'react'
import type { ReactNode } from 'react'

interface PageProps {
  readonly title: string
  /** Shown next to the title, for example buttons. */
  readonly actions?: ReactNode
  readonly children?: ReactNode
}

export function Page({ title, actions, children }: PageProps) {
  useTitle(title)
  return (
    <main className="page">
      <header className="page-head">
        <h1>{title}</h1>
        {actions}
      </header>
      {children}
    </main>
  )
}

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sluice`
  }, [title])
}
