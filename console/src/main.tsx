/** Entry point of the console: applies the theme, resumes the session and renders the pages. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { NuqsAdapter } from 'nuqs/adapters/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { retryDelayOf, shouldRetry } from './api/retries.ts'
import { forgetQueries } from './query/recent-queries.ts'
import { ErrorBoundary, reloadForMissingChunks } from './ui/error-boundary.tsx'
import { applyTheme } from './ui/preferences.ts'
import { resumeSession, session } from './session/session.ts'
import { App } from './pages/app.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/parts.css'
import './styles/decisions.css'

applyTheme()
reloadForMissingChunks()
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: shouldRetry,
      retryDelay: retryDelayOf,
      staleTime: 10_000,
      refetchOnWindowFocus: false
    }
  }
})
let before = session.get()
session.subscribe(() => {
  const now = session.get()
  // The next user or organization must not see the data of the last one.
  const isOther = before.owner !== null && now.owner !== before.owner
  if (now.state === 'signed_out' || isOther) forgetQueries()
  if (now.state === 'signed_out') {
    queries.clear()
    if (before.state !== 'starting') history.replaceState(null, '', '/console/')
  } else if (isOther) void queries.resetQueries()
  before = now
})

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element #root.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <NuqsAdapter>
        <Router base="/console">
          <ErrorBoundary>
            <App />
          </ErrorBoundary>
        </Router>
      </NuqsAdapter>
    </QueryClientProvider>
  </StrictMode>
)
void resumeSession()
