/** All routes of the console. */
import { lazy, Suspense } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { useSession } from '../session/use-session.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Loading } from '../ui/loading.tsx'
import { DecisionPage } from './decision/decision-page.tsx'
import { DecisionsPage } from './decisions/decisions-page.tsx'
import { NotFound } from './not-found.tsx'
import { Shell } from './shell.tsx'
import { SignInDialog, SignInPage } from './sign-in.tsx'

const ComparePage = lazy(async () => ({
  default: (await import('./compare/compare-page.tsx')).ComparePage
}))

export function App() {
  const { state, reason, owner } = useSession()
  const [path] = useLocation()
  if (state === 'starting') return null
  if (state === 'signed_out') return <SignInPage reason={reason} />
  return (
    <Shell>
      {/* Another user or organization gets new pages, which show nothing of the last one. */}
      <ErrorBoundary key={`${owner} ${path}`}>
        <Suspense fallback={<Loading label="Loading the page…" />}>
          <Pages />
        </Suspense>
      </ErrorBoundary>
      {state === 'expired' && <SignInDialog reason={reason} />}
    </Shell>
  )
}

function Pages() {
  return (
    <Switch>
      <Route path="/">
        <Redirect to="/decisions" replace />
      </Route>
      <Route path="/decisions">
        <DecisionsPage />
      </Route>
      <Route path="/compare">
        <ComparePage />
      </Route>
      <Route path="/decisions/:id">{({ id }) => <DecisionPage key={id} id={id} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}
