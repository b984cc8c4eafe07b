/** Shows what happened if a page fails to render or to load, instead of an empty screen. */
import { Component } from 'react'
import type { ReactNode } from 'react'

interface ErrorBoundaryProps {
  /** Another path shows another page, which may work. */
  readonly path?: string
  readonly children: ReactNode
}

interface ErrorBoundaryState {
  readonly error: Error | null
}

/** React reports such errors only to classes. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null }

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override componentDidUpdate(before: ErrorBoundaryProps): void {
    const hasMoved = before.path !== this.props.path
    if (hasMoved && this.state.error !== null) this.setState({ error: null })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <main className="page">
        <h1>This page failed</h1>
        <p role="alert">
          Reload the page. If it fails again, report this message: <code>{error.message}</code>
        </p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </main>
    )
  }
}

const markName = 'sluice.reloaded'
/** A second failure within this time is not repaired by a reload. */
const againMs = 10_000

/** Reloads the page once if a chunk is missing, because a new version has replaced it. */
export function reloadForMissingChunks(): void {
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(markName) ?? 0)
    if (Date.now() - last < againMs) return
    sessionStorage.setItem(markName, String(Date.now()))
    event.preventDefault()
    location.reload()
  })
}
