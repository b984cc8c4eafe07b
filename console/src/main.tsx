/** Entry point of the console: applies the theme, resumes the session and renders the pages. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { NuqsAdapter } from 'nuqs/adapters/react'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Router } from 'wouter'
import { retryDelayOf, shouldRetry } from './api/retries.ts'
import { applyTheme } from './ui/preferences.ts'
import { resumeSession, session } from './session/session.ts'
import { App } from './pages/app.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/decisions.css'

applyTheme()
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
let before = session.get().state
session.subscribe(() => {
  const { state } = session.get()
  // The next user must not see the data of the last one.
  if (state === 'signed_out') queries.clear()
  if (state === 'signed_in' && before === 'expired') void queries.resetQueries()
  before = state
})

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element #root.')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <NuqsAdapter>
        <Router base="/console">
          <App />
        </Router>
      </NuqsAdapter>
    </QueryClientProvider>
  </StrictMode>
)
void resumeSession()
