/** The route table: Express, the checks, authentication and the OpenAPI document come from it. */
import type { Checked } from '../auth/checked.ts'
import { readEvaluationOperation } from '../api/results/read-evaluation.operation.ts'
import { readReceiptOperation } from '../api/decisions/read-receipt.operation.ts'
import { accountRows } from '../api/accounts/account-rows.ts'
import type { AccountHandlers } from '../api/accounts/account-rows.ts'
import { configurationRows } from '../api/configuration/configuration-rows.ts'
import type { ConfigurationHandlers } from '../api/configuration/configuration-rows.ts'
import { decisionRows, oneDecisionRows } from '../api/decisions/decision-rows.ts'
import type { DecisionHandlers } from '../api/decisions/decision-rows.ts'
import { createGuards } from '../auth/guards.ts'
import type { Row } from '../auth/guards.ts'
import { ingestBatchOperation } from './ingest/ingest-batch.operation.ts'
import { ingestOperation } from './ingest/ingest.operation.ts'
import { profileRows } from '../api/profiles/profile-rows.ts'
import type { ProfileHandlers } from '../api/profiles/profile-rows.ts'
import { organizationRows } from '../api/organization/organization-rows.ts'
import type { OrganizationHandlers } from '../api/organization/organization-rows.ts'
import { onboardingRows } from '../api/onboarding/onboarding-rows.ts'
import type { OnboardingHandlers } from '../api/onboarding/onboarding-rows.ts'
import { resultRows } from '../api/results/result-rows.ts'
import type { ResultHandlers } from '../api/results/result-rows.ts'
import type { Handle, KeyHandle, PrincipalHandle, Route } from '../http/route.ts'
import { statsRows } from '../api/stats/stats-rows.ts'
import type { StatsHandlers } from '../api/stats/stats-rows.ts'
import { streamRows } from '../api/streams/stream-rows.ts'
import type { StreamHandlers } from '../api/streams/stream-rows.ts'

export interface Handlers
  extends
    AccountHandlers,
    ConfigurationHandlers,
    DecisionHandlers,
    OnboardingHandlers,
    OrganizationHandlers,
    ProfileHandlers,
    ResultHandlers,
    StatsHandlers,
    StreamHandlers {
  readonly ingest: Handle
  readonly ingestBatch: Handle
  readonly readReceipt: KeyHandle
  readonly readEvaluation: PrincipalHandle
}

export function createRoutes(to: Handlers, checked: Checked): readonly Route[] {
  const guards = createGuards(checked)
  const { line, key, sessionOr } = guards
  const scores = sessionOr('evaluation:read')
  // prettier-ignore
  const rows: readonly Row[] = [
    ['post', '/v1/ingest',                  line('ingest', ingestOperation, to.ingest)],
    ['post', '/v1/ingest/batch',            line('ingest', ingestBatchOperation, to.ingestBatch)],
    ['get',  '/v1/ingest/:decision_id',     key('ingest', readReceiptOperation, to.readReceipt)],
    ...decisionRows(to, guards),
    ...statsRows(to, guards),
    ...streamRows(to, guards),
    ...accountRows(to, guards),
    ...organizationRows(to, guards),
    ...onboardingRows(to, guards),
    ...configurationRows(to, guards),
    ...resultRows(to, guards),
    ...profileRows(to, guards),
    // Behind all others of its area: any word could be an id.
    ...oneDecisionRows(to, guards),
    ['get',  '/v1/evaluation/:decision_id', scores(readEvaluationOperation, to.readEvaluation)]
  ]
  return rows.map(([method, path, guarded]) => {
    const surface = path.startsWith('/v1/ingest') ? 'ingest' : 'api'
    return { surface, method, path, ...guarded }
  })
}
