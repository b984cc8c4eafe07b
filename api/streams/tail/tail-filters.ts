/** What a live tail is about: some decisions of an organization, or a share of them. */
import { isSampled } from '../../../evaluators/planning/sample.ts'
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import { agentIdOf } from '../../profiles/agent-name.ts'
import { evaluationStatus, verdict } from '../../response-schemas.ts'
import { textFilter } from '../../text-filter.ts'

export interface TailFilters {
  readonly agent_id?: string
  readonly session_id?: string
  readonly domain?: string
  /** A decision is shown once its evaluation is like this. */
  readonly status?: string
  readonly verdict?: string
  /** The share of decisions that is shown. */
  readonly sample?: number
}

export const tailFilterSchemas: Readonly<Record<keyof TailFilters, JsonSchema>> = {
  agent_id: textFilter('Only of this agent.', 255),
  session_id: textFilter('Only of this session.', 1000),
  domain: textFilter('Only of this domain.', 100),
  status: {
    type: 'string',
    enum: evaluationStatus['enum'],
    description: 'Only decisions whose evaluation comes to this, as soon as it does.'
  },
  verdict: {
    type: 'string',
    enum: verdict['enum'],
    description: 'Only decisions with this verdict, as soon as they have it.'
  },
  sample: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'The share of decisions to show, from 0 to 1; all tails take the same ones.'
  }
}

const texts = ['session_id', 'domain'] as const

/** What never changes of a decision. */
type Place = Readonly<
  Record<(typeof texts)[number] | 'agent_id', string | null> & { decision_id: string }
>
const cohort = 'tail'

export function isAbout(filters: TailFilters, row: Place): boolean {
  const { sample: rate = 1, agent_id } = filters
  const isOfAgent = agent_id === undefined || agentIdOf(agent_id) === (row.agent_id ?? '')
  const fits = texts.every((name) => filters[name] === undefined || filters[name] === row[name])
  return isOfAgent && fits && isSampled({ rate, key: 'decision', cohort }, row)
}

/** Of what its evaluation has come to so far. */
export function isWanted(
  filters: TailFilters,
  state: { readonly status: string; readonly verdict: string }
): boolean {
  const names = ['status', 'verdict'] as const
  return names.every((name) => filters[name] === undefined || filters[name] === state[name])
}
