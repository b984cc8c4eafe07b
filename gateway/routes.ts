/** The route table: Express, the checks, authentication and the OpenAPI document come from it. */
import type { Checked } from './api/checked.ts'
import { readEvaluationOperation } from './api/read-evaluation.operation.ts'
import { readReceiptOperation } from './api/read-receipt.operation.ts'
import { accountRows } from './account-rows.ts'
import type { AccountHandlers } from './account-rows.ts'
import { configurationRows } from './configuration-rows.ts'
import type { ConfigurationHandlers } from './configuration-rows.ts'
import { decisionRows, oneDecisionRows } from './decision-rows.ts'
import type { DecisionHandlers } from './decision-rows.ts'
import { createGuards } from './guards.ts'
import type { Row } from './guards.ts'
import { ingestBatchOperation } from './ingest/ingest-batch.operation.ts'
import { ingestOperation } from './ingest/ingest.operation.ts'
import { profileRows } from './profile-rows.ts'
import type { ProfileHandlers } from './profile-rows.ts'
import { organizationRows } from './organization-rows.ts'
import type { OrganizationHandlers } from './organization-rows.ts'
import { onboardingRows } from './onboarding-rows.ts'
import type { OnboardingHandlers } from './onboarding-rows.ts'
import { resultRows } from './result-rows.ts'
import type { ResultHandlers } from './result-rows.ts'
import type { Handle, KeyHandle, PrincipalHandle, Route } from './route.ts'
import { statsRows } from './stats-rows.ts'
import type { StatsHandlers } from './stats-rows.ts'
import { streamRows } from './stream-rows.ts'
import type { StreamHandlers } from './stream-rows.ts'

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
