/** What an evaluator is tried on: decisions that are stored, or one that the caller makes up. */
import type { Decision } from '../../core/decision/decision.ts'
import { selectDecision } from '../decision-row.ts'
import type { OrganizationStore } from '../store.ts'

export const testItemsMax = 20
const sampleDays = 7

export interface TestBody {
  readonly decision_ids?: readonly string[]
  readonly sample?: { readonly n: number }
  readonly inline?: InlineDecision
}

interface InlineDecision {
  readonly input: unknown
  readonly output: string
  readonly metadata?: Readonly<Record<string, unknown>> | null
  readonly agent_id?: string | null
  readonly session_id?: string | null
  readonly domain?: string | null
  readonly input_tokens?: number | null
  readonly output_tokens?: number | null
}

/** Read one by one, when it is its turn: each may have megabytes. */
export interface TestItem {
  /** Null for the one that is made up. */
  readonly decision_id: string | null
  /** Null where no such decision is stored. */
  read(): Promise<Decision | null>
}

/** @param now milliseconds since 1970 */
export async function testItemsOf(
  ours: OrganizationStore,
  { decision_ids, sample, inline }: TestBody,
  now: number
): Promise<TestItem[]> {
  if (inline !== undefined) {
    const decision = inlineDecisionOf(ours.organizationId, inline, now)
    return [{ decision_id: null, read: () => Promise.resolve(decision) }]
  }
  const ids = decision_ids ?? (await readRecentIds(ours, sample?.n ?? testItemsMax))
  return [...new Set(ids.map((id) => id.toLowerCase()))].map((decision_id) => ({
    decision_id,
    read: () => readStored(ours, decision_id)
  }))
}

/** The newest ones. */
async function readRecentIds(ours: OrganizationStore, n: number): Promise<string[]> {
  const rows = await ours.query<{ decision_id: string }>(
    `select decision_id from decisions
      where organization_id = $1 and received_at >= now() - interval '${sampleDays} days'
      order by received_at desc, decision_id desc
      limit ${n}`,
    [ours.organizationId]
  )
  return rows.map(({ decision_id }) => decision_id)
}

async function readStored(ours: OrganizationStore, decisionId: string): Promise<Decision | null> {
  const row = await selectDecision(ours, decisionId)
  if (row === null) return null
  const { input, output, metadata, agent_id, session_id, domain } = row
  const { input_tokens, output_tokens, sdk_version } = row
  return {
    ...{ decision_id: row.decision_id, organization_id: ours.organizationId },
    ...{ received_at: row.received_at.getTime(), input, output, metadata },
    ...{ agent_id, session_id, domain, input_tokens, output_tokens, sdk_version }
  }
}

function inlineDecisionOf(
  organization_id: string,
  { input, metadata, ...given }: InlineDecision,
  now: number
): Decision {
  return {
    decision_id: '00000000-0000-0000-0000-000000000000',
    organization_id,
    received_at: now,
    input: JSON.stringify(input),
    output: given.output,
    agent_id: given.agent_id ?? null,
    session_id: given.session_id ?? null,
    domain: given.domain ?? null,
    metadata: metadata === undefined || metadata === null ? null : JSON.stringify(metadata),
    input_tokens: given.input_tokens ?? null,
    output_tokens: given.output_tokens ?? null,
    sdk_version: null
  }
}
