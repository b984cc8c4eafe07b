/** The route table: Express, the checks, authentication and the OpenAPI document come from it. */
import type { ApiKeyScope } from '../core/api-key.ts'
import type { Checked } from './api/checked.ts'
import { listDecisionsOperation } from './api/list-decisions.operation.ts'
import { loginOperation } from './api/login.operation.ts'
import { readDecisionOperation } from './api/read-decision.operation.ts'
import { readEvaluationOperation } from './api/read-evaluation.operation.ts'
import { readReceiptOperation } from './api/read-receipt.operation.ts'
import { ingestBatchOperation } from './ingest/ingest-batch.operation.ts'
import { ingestOperation } from './ingest/ingest.operation.ts'
import type { Credential, Handle, Operation, Route } from './route.ts'
import type { KeyHandle, PrincipalHandle, PublicHandle, SessionHandle } from './route.ts'

export interface Handlers {
  readonly ingest: Handle
  readonly ingestBatch: Handle
  readonly readReceipt: KeyHandle
  readonly login: PublicHandle
  readonly listDecisions: SessionHandle
  readonly readDecision: SessionHandle
  readonly readEvaluation: PrincipalHandle
}

export function createRoutes(to: Handlers, checked: Checked): readonly Route[] {
  const { line, key, anyone, session, sessionOr } = createGuards(checked)
  const scores = sessionOr('evaluation:read')
  // prettier-ignore
  const rows: readonly Row[] = [
    ['post', '/v1/ingest',                  line('ingest', ingestOperation, to.ingest)],
    ['post', '/v1/ingest/batch',            line('ingest', ingestBatchOperation, to.ingestBatch)],
    ['get',  '/v1/ingest/:decision_id',     key('ingest', readReceiptOperation, to.readReceipt)],
    ['post', '/v1/auth/login',              anyone(loginOperation, to.login)],
    ['get',  '/v1/decisions',               session(listDecisionsOperation, to.listDecisions)],
    ['get',  '/v1/decisions/:decision_id',  session(readDecisionOperation, to.readDecision)],
    ['get',  '/v1/evaluation/:decision_id', scores(readEvaluationOperation, to.readEvaluation)]
  ]
  return rows.map(([method, path, guarded]) => {
    const surface = path.startsWith('/v1/ingest') ? 'ingest' : 'api'
    return { surface, method, path, ...guarded }
  })
}

interface Guarded {
  readonly credential: Credential
  readonly operation: Operation
  readonly handle: Handle
}

type Row = readonly [Route['method'], string, Guarded]

/** Who may call: each puts a handler behind its check. */
function createGuards(checked: Checked) {
  return {
    /** The ingest line authenticates and checks by itself, step by step. */
    line: (scope: ApiKeyScope, operation: Operation, handle: Handle): Guarded => {
      return { credential: { kind: 'api_key', scope }, operation, handle }
    },
    key: (scope: ApiKeyScope, operation: Operation, handle: KeyHandle): Guarded => {
      const credential = { kind: 'api_key', scope } as const
      return { credential, operation, handle: checked({ credential, operation }, handle) }
    },
    anyone: (operation: Operation, handle: PublicHandle): Guarded => {
      const credential = { kind: 'none' } as const
      return { credential, operation, handle: checked({ credential, operation }, handle) }
    },
    session: (operation: Operation, handle: SessionHandle): Guarded => {
      const credential = { kind: 'session' } as const
      return { credential, operation, handle: checked({ credential, operation }, handle) }
    },
    sessionOr:
      (scope: ApiKeyScope) =>
      (operation: Operation, handle: PrincipalHandle): Guarded => {
        const credential = { kind: 'session_or_api_key', scope } as const
        return { credential, operation, handle: checked({ credential, operation }, handle) }
      }
  }
}
