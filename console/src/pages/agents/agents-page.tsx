/** The list of agents, with their numbers in the chosen window. */
import { Link } from 'wouter'
import type { agentList } from '../../../../api/profiles/schemas.ts'
import { usePages } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { formatCost, formatCount, formatNumber, formatShare } from '../../text/format.ts'
import { visible } from '../../text/visible.ts'
import { PagedTable } from '../../ui/data-table.tsx'
import type { TableColumn } from '../../ui/data-table.tsx'
import { Page } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Rate } from '../../ui/rate.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { Time } from '../../ui/time.tsx'
import { NoDecisions } from '../decisions/empty-list.tsx'
import { Freshness } from '../decisions/freshness.tsx'
import { StateSelect, useAgentState, windows } from './agent-state.tsx'

type AgentRow = WireOf<typeof agentList>['data'][number]

const sorts = {
  '-volume': 'most decisions',
  '-last_seen': 'last seen',
  name: 'name',
  pass_rate: 'lowest pass rate',
  '-cost': 'highest cost'
}
const columns: readonly TableColumn<AgentRow>[] = [
  { name: 'Agent', cell: (agent) => <AgentName {...agent} /> },
  { name: 'Status', cell: ({ status }) => <Pill word={status} /> },
  { name: 'Last seen', cell: ({ last_seen }) => <Time iso={last_seen} /> },
  { name: 'Decisions', isNumber: true, cell: ({ volume }) => formatNumber(volume.now) },
  { name: 'Trend', cell: ({ sparkline }) => <Sparkline values={sparkline.map(({ n }) => n)} /> },
  { name: 'Pass rate', cell: ({ pass_rate }) => <Rate measure={pass_rate} none="no verdict" /> },
  { name: 'Tokens', isNumber: true, cell: tokensOf },
  { name: 'Cost', isNumber: true, cell: ({ cost }) => formatCost(cost) },
  { name: 'Versions', cell: ({ versions }) => visible(versions.join(', ') || 'not sent') },
  { name: 'SDK', cell: ({ sdk_versions }) => visible(sdk_versions.join(', ') || 'not sent') },
  { name: 'Problems', cell: problemsOf }
]

function AgentName({ agent_id, name }: AgentRow) {
  const [{ window }] = useAgentState()
  const text = <bdi>{visible(name ?? agent_id)}</bdi>
  // A path cannot contain such an id.
  if (agent_id === '.' || agent_id === '..') return text
  return <Link href={`/agents/${encodeURIComponent(agent_id)}?window=${window}`}>{text}</Link>
}

function tokensOf({ tokens: { input, output } }: AgentRow): string {
  if (input === null && output === null) return 'not sent'
  return formatNumber((input ?? 0) + (output ?? 0))
}

function problemsOf({ status, evaluation, error_rate: { value, n } }: AgentRow): string {
  const problems = [
    status === 'silent' && 'sends nothing',
    evaluation.failed > 0 && `${formatCount(evaluation.failed, 'evaluation')} failed`,
    evaluation.partial > 0 && `${evaluation.partial} partially evaluated`,
    value !== null && value > 0 && `${formatShare(value)} errors (n\u00a0${n})`
  ]
  return problems.filter((text) => text !== false).join(', ') || '–'
}

export function AgentsPage() {
  const [{ q, sort, window }, setState] = useAgentState()
  const query = new URLSearchParams({ window, sort, ...(q !== '' && { q }) })
  const list = usePages<AgentRow>(`/v1/profiles?${query.toString()}`)
  const search = (form: FormData): void => {
    const text = form.get('q')
    void setState({ q: typeof text === 'string' ? text.trim() : '' })
  }
  return (
    <Page title="Agents" actions={<Freshness meta={list.data?.pages[0]?.meta} />}>
      <form className="query-bar" role="search" action={search}>
        <input
          key={q}
          name="q"
          type="search"
          placeholder="Part of the name or id"
          defaultValue={q}
        />
        <button type="submit">Search</button>
        <StateSelect label="Order" name="sort" options={sorts} />
        <StateSelect label="Window" name="window" options={windows} />
      </form>
      <PagedTable
        label="Agents"
        {...{ list, columns }}
        keyOf={({ agent_id }) => agent_id}
        empty={q === '' ? <NoDecisions /> : <Link href="/agents">No agent matches. Show all.</Link>}
      />
    </Page>
  )
}
