/** All routes of the console. */
import { lazy, Suspense } from 'react'
import type { ComponentType } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { lacksScore, useOnboarding } from '../onboarding/use-onboarding.ts'
import { linkToken } from '../session/link-token.ts'
import { useSession } from '../session/use-session.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Loading } from '../ui/loading.tsx'
import { DecisionPage } from './decision/decision-page.tsx'
import { DecisionsPage } from './decisions/decisions-page.tsx'
import { NotFound } from './not-found.tsx'
import { Shell } from './shell.tsx'
import { SignInDialog, SignInPage } from './sign-in.tsx'

/** Loads the code of a page when it is first shown. */
function lazyPage<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await load() }))
}

const WelcomePage = lazyPage(async () => (await import('./welcome/welcome-page.tsx')).WelcomePage)
const LivePage = lazyPage(async () => (await import('./live/live-page.tsx')).LivePage)
const AgentPages = lazyPage(async () => (await import('./agents/agent-page.tsx')).AgentPages)
const HealthPage = lazyPage(async () => (await import('./health/health-page.tsx')).HealthPage)
const ComparePage = lazyPage(async () => (await import('./compare/compare-page.tsx')).ComparePage)
const SettingsPages = lazyPage(
  async () => (await import('./settings/settings-pages.tsx')).SettingsPages
)
const DeadLettersPage = lazyPage(
  async () => (await import('./dead-letters/dead-letters-page.tsx')).DeadLettersPage
)
const DeadLetterPage = lazyPage(
  async () => (await import('./dead-letters/dead-letter-page.tsx')).DeadLetterPage
)
const AccountPage = lazyPage(async () => (await import('./account/account-page.tsx')).AccountPage)
const EvaluationPages = lazyPage(
  async () => (await import('./evaluation/evaluation-pages.tsx')).EvaluationPages
)

const accountPaths =
  /^\/(forgot-password|reset-password|accept-invite|register|confirm-registration|verify-email)$/

export function App() {
  const { state, reason, owner } = useSession()
  const [path] = useLocation()
  if (state === 'starting') return null
  const name = accountPaths.exec(path)?.[1]
  if (name !== undefined) {
    return (
      <Suspense>
        <AccountPage name={name} token={linkToken} />
      </Suspense>
    )
  }
  if (state === 'signed_out') return <SignInPage reason={reason} />
  return (
    <Shell>
      {/* Another user or organization gets new pages, which show nothing of the last one. */}
      <ErrorBoundary key={owner} path={path}>
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
        <Home />
      </Route>
      <Route path="/welcome">
        <WelcomePage />
      </Route>
      <Route path="/live">
        <LivePage />
      </Route>
      <Route path="/settings/:name">{({ name }) => <SettingsPages name={name} />}</Route>
      <Route path="/decisions">
        <DecisionsPage />
      </Route>
      <Route path="/compare">
        <ComparePage />
      </Route>
      <Route path="/decisions/:id">{({ id }) => <DecisionPage key={id} id={id} />}</Route>
      <Route path="/agents/*?">
        <AgentPages />
      </Route>
      <Route path="/health">
        <HealthPage />
      </Route>
      <Route path="/dead-letters">
        <DeadLettersPage />
      </Route>
      <Route path="/dead-letters/:id">{({ id }) => <DeadLetterPage key={id} id={id} />}</Route>
      <Route path="/evaluation/:name/:id?">{(page) => <EvaluationPages {...page} />}</Route>
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
  return <Redirect to={lacksScore(data) ? '/welcome' : '/decisions'} replace />
}
