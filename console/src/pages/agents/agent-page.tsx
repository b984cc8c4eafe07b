/** The page of one agent: its name, and tabs with the parts of its profile. */
import { Link, Redirect } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import { ApiError } from '../../api/api-error.ts'
import { useRead } from '../../api/use-api.ts'
import { quoteValue } from '../../query/query-text.ts'
import { visible } from '../../text/visible.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Freshness } from '../decisions/freshness.tsx'
import { Ingestion, Overview, Scores } from './agent-parts.tsx'
import { agentPath, StateSelect, useAgentState, windows } from './agent-state.tsx'
import type { AgentPartProps } from './agent-state.tsx'
import { AgentsPage } from './agents-page.tsx'
import { RenameAgent } from './rename-agent.tsx'
import { Versions } from './versions.tsx'
import '../../styles/agents.css'

const parts = new Map(
  Object.entries({
    overview: Overview,
    scores: Scores,
    versions: Versions,
    ingestion: Ingestion,
    decisions: Decisions
  })
)

/** Shows the list, or the agent that the path names. */
export function AgentPages() {
  // The router decodes a part of the path, which makes ids with a percent sign ambiguous.
  const [, encoded = ''] = usePathname().split('/agents/')
  // Unlike decodeURIComponent, this accepts a malformed escape. No agent has such an id.
  const id = new URLSearchParams(`id=${encoded.replaceAll('+', '%2B')}`).get('id') ?? ''
  return id === '' ? <AgentsPage /> : <AgentPage key={id} id={id} />
}

function AgentPage({ id }: { readonly id: string }) {
  const [{ window, tab }] = useAgentState()
  const query = useRead<AgentPartProps['profile']>(agentPath(id, '', { window }))
  const { data, error } = query
  const isUnknown = error instanceof ApiError && error.problem.code === 'agent_not_found'
  const Part = parts.get(tab) ?? Overview
  return (
    <Page
      title={visible(data?.name ?? id)}
      actions={data && <RenameAgent id={id} profile={data} />}
    >
      <nav className="tabs" aria-label="Parts of the profile">
        {[...parts.keys()].map((each) => (
          <Link
            key={each}
            href={`/agents/${encodeURIComponent(id)}?tab=${each}&window=${window}`}
            aria-current={each === tab ? 'page' : undefined}
          >
            {each}
          </Link>
        ))}
        <StateSelect label="Window" name="window" options={windows} />
        <Freshness meta={data?.meta} />
      </nav>
      {isUnknown && <p>No agent with this id has a stored decision in this organization.</p>}
      {!isUnknown && (
        <Loaded query={query} what="the profile">
          {(profile) => <Part {...{ id, profile }} />}
        </Loaded>
      )}
    </Page>
  )
}

/** The list of decisions can do more than a part of this page could. */
function Decisions({ id }: AgentPartProps) {
  const [{ window }] = useAgentState()
  const query = new URLSearchParams({ q: `agent:${quoteValue(id)}`, from: `-${window}` })
  return <Redirect to={`/decisions?${query.toString()}`} replace />
}
