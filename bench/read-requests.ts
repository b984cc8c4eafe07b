/** Creates the requests for --reads. Most have different parameters in each repetition. */
import type { Postgres } from '../platform/postgres/postgres.ts'

export interface ReadRequest {
  readonly what: string
  /** Whether the response time of the request has a goal. */
  readonly isGoal: boolean
  /** Returns the path of request number `index`. */
  readonly pathOf: (index: number) => string
}

const sampled = 200

/** Returns the read requests to measure. Their ids and search words come from stored decisions. */
export async function readRequests(postgres: Postgres): Promise<readonly ReadRequest[]> {
  const rows = await postgres.query<{ decision_id: string; session_id: string; word: string }>(
    `select decision_id, session_id, substr(input, 14, 32) as word
       from decisions
      where received_at > now() - interval '6 days'
      order by decision_id
      limit $1`,
    [sampled]
  )
  const at = (index: number) => rows[index % rows.length]
  const agent = (index: number): string => `agent-${index % 50}`
  const list = '/v1/decisions'
  const stats = `${list}/stats`
  const metrics = ['count', 'count,error_rate,latency_ms', 'score:tone']
  const line = (what: string, pathOf: ReadRequest['pathOf']) => ({ what, isGoal: true, pathOf })
  const other = (what: string, pathOf: ReadRequest['pathOf']) => ({ what, isGoal: false, pathOf })
  return [
    line('list, first page', () => list),
    line('list of an agent', (index) => `${list}?agent_id=${agent(index)}`),
    line('list of a domain', (index) => `${list}?domain=domain-${index % 8}`),
    line('list of a session', (index) => `${list}?session_id=${at(index)?.session_id ?? ''}`),
    line('list by metadata', (index) => `${list}?metadata.tenant=tenant-${index % 200}`),
    line('list by verdict', (index) => `${list}?verdict=${index % 2 ? 'fail' : 'mixed'}`),
    line('list by score', (index) => `${list}?score=tone:lt:0.${10 + (index % 20)}`),
    line('list by model and error', (index) => `${list}?model=model-${index % 4}&is_error=true`),
    other('list of an agent, 30 days', (index) => `${list}?from=-30d&agent_id=${agent(index)}`),
    other('words in the texts', (index) => `${list}?from=-1d&q=${at(index)?.word ?? ''}`),
    line('detail', (index) => `${list}/${at(index)?.decision_id ?? ''}`),
    other('neighbours', (index) => `${list}/${at(index)?.decision_id ?? ''}/context`),
    other('evaluation', (index) => `/v1/evaluation/${at(index)?.decision_id ?? ''}`),
    line('profile', (index) => `/v1/profiles/${agent(index)}`),
    other('profiles, first page', () => '/v1/profiles'),
    line('stats, 7 days', (index) => `${stats}?window=7d&metrics=${metrics[index % 3] ?? ''}`),
    line('stats, 7 days, by agent', () => `${stats}?window=7d&group_by=agent_id`),
    other('stats, 7 days, by status', () => `${stats}?window=7d&group_by=status`),
    other('stats, 7 days, cost by model', () => `${stats}?window=7d&metrics=cost&group_by=model`),
    other('stats, 30 days, compared', () => `${stats}?window=30d&compare=previous`)
  ]
}
