/** All routes of the console. */
import { Suspense } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { useSession } from '../session/use-session.ts'
import { Loading } from '../ui/loading.tsx'
import { DecisionPage } from './decision/decision-page.tsx'
import { DecisionsPage } from './decisions/decisions-page.tsx'
import { NotFound } from './not-found.tsx'
import { Shell } from './shell.tsx'
import { SignInDialog, SignInPage } from './sign-in.tsx'

export function App() {
  const { state, reason } = useSession()
  if (state === 'starting') return null
  if (state === 'signed_out') return <SignInPage reason={reason} />
  return (
    <Shell>
      <Suspense fallback={<Loading label="Loading the page…" />}>
        <Pages />
      </Suspense>
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
      <Route path="/decisions/:id">{({ id }) => <DecisionPage key={id} id={id} />}</Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  )
}
