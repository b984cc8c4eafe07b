/** GET /v1/evaluation/runs/{run_id}: one run, with every attempt that it made. */
import type { Decision } from '../../../core/decision/decision.ts'
import { Problem } from '../../../core/problem.ts'
import { mayActAs } from '../../../core/user-role.ts'
import type { JudgeConfig } from '../../../evaluators/judge/judge-config.ts'
import { createPromptWriter } from '../../../evaluators/judge/prompt.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { jsonReply } from '../../../http/call.ts'
import type { Principal } from '../../../core/principal.ts'
import type { PrincipalHandle } from '../../../http/route.ts'
import { selectDecision } from '../../decision-row.ts'
import type { OrganizationStore, Store } from '../../store.ts'
import { findRun } from './find-run.ts'
import { runRecordOf } from './run-record.ts'
import type { RunRecordRow } from './run-record.ts'

interface AttemptRow extends Row {
  readonly attempt: number
  readonly nano_usd: number | null
  readonly reply: string | null
}

const nanoPerUsd = 1_000_000_000

export function createReadRun({ store }: { readonly store: Store }): PrincipalHandle {
  return async function readRun(call) {
    const ours = store.of(call.principal.organization_id)
    const run = await findRun(ours, (call.params['run_id'] ?? '').toLowerCase())
    if (run === null) throw runNotFound()
    const isTold = mayReadContent(call.principal)
    const rows = await selectAttempts(ours, run)
    const attempts = rows.map(({ nano_usd, reply, ...row }) => {
      const usd = nano_usd === null ? null : nano_usd / nanoPerUsd
      return { ...row, usd, reply: isTold ? reply : null }
    })
    const prompt = isTold ? await promptOf(ours, run) : null
    const record = runRecordOf(run)
    const answer = { ...record, attempts_made: record.attempts, attempts, prompt }
    return jsonReply(200, JSON.stringify(answer))
  }
}

export function runNotFound(): Problem {
  return new Problem('run_not_found', { detail: 'There is none with this id.' })
}

/** Prompts and replies hold what agents were given and answered, and what judges made of it. */
function mayReadContent(principal: Principal): boolean {
  return principal.kind === 'session' && mayActAs(principal.role, 'admin')
}

function selectAttempts(store: OrganizationStore, { decision_id, run_id }: RunRecordRow) {
  return store.query<AttemptRow>(
    `select attempt, counted, started_at, finished_at, outcome, status_reason, http_status, error,
            model, model_reported, input_tokens, output_tokens, nano_usd, latency_ms, reply
       from run_attempts
      where organization_id = $1
        and decision_id = $2
        and run_id = $3
      order by attempt
      limit 100`,
    [store.organizationId, decision_id, run_id]
  )
}

/** As it is written for this decision; the fences of each call are its own. */
async function promptOf(store: OrganizationStore, run: RunRecordRow) {
  if (run['evaluator_kind'] !== 'llm_judge') return null
  const versions = await store.query<{ config: string }>(
    `select config
       from evaluator_versions
      where organization_id = $1
        and evaluator_id = $2
        and version = $3`,
    [store.organizationId, run['evaluator_id'], run['evaluator_version']]
  )
  const [version] = versions
  const row = await selectDecision(store, run.decision_id)
  if (version === undefined || row === null) return null
  const received_at = row.received_at.getTime()
  const decision: Decision = {
    ...{ ...row, organization_id: store.organizationId, received_at },
    output: JSON.parse(row.output) as string
  }
  const written = createPromptWriter(JSON.parse(version.config) as JudgeConfig).write(decision)
  return 'messages' in written ? written.messages : null
}
