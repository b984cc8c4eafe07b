/** All routes of the console. */
import { lazy, Suspense } from 'react'
import { Redirect, Route, Switch } from 'wouter'
import { useOnboarding } from '../onboarding/use-onboarding.ts'
import { useSession } from '../session/use-session.ts'
import { Loading } from '../ui/loading.tsx'
import { DecisionPage } from './decision/decision-page.tsx'
import { DecisionsPage } from './decisions/decisions-page.tsx'
import { NotFound } from './not-found.tsx'
import { Shell } from './shell.tsx'
import { SignInDialog, SignInPage } from './sign-in.tsx'

const WelcomePage = lazy(async () => ({
  default: (await import('./welcome/welcome-page.tsx')).WelcomePage
}))
const LivePage = lazy(async () => ({ default: (await import('./live/live-page.tsx')).LivePage }))
const KeysPage = lazy(async () => ({
  default: (await import('./settings/keys/keys-page.tsx')).KeysPage
}))

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
        <Home />
      </Route>
      <Route path="/welcome">
        <WelcomePage />
      </Route>
      <Route path="/live">
        <LivePage />
      </Route>
      <Route path="/settings/keys">
        <KeysPage />
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

/** The first page: the way to the first score, until there is one. */
function Home() {
  const { data, isError } = useOnboarding()
  if (data === undefined && !isError) return <Loading label="Loading…" />
  return <Redirect to={data?.complete === false ? '/welcome' : '/decisions'} replace />
}
