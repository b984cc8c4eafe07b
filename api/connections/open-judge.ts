/** A connection of an organization, ready to be asked. */
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problem.ts'
import { createJudgeClient } from '../../platform/llm/judge-client.ts'
import type { JudgeClient } from '../../platform/llm/judge-client.ts'
import type { Outbound } from '../../platform/http-client/outbound.ts'
import { SealError } from '../../platform/security/sealed-secret.ts'
import type { Sealer } from '../../platform/security/sealed-secret.ts'
import { secretContextOf } from '../../platform/security/secret-context.ts'
import type { StoredConnection } from './connection-rows.ts'

export interface OpenJudgeDependencies {
  readonly clock: Clock
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly sealer: Sealer | null
}

/** @throws {Problem} 409 when its key was kept under a SECRETS_KEY that this gateway has not. */
export type OpenJudge = (organizationId: string, connection: StoredConnection) => JudgeClient

export function createOpenJudge({ clock, outbound, sealer }: OpenJudgeDependencies): OpenJudge {
  return function openJudge(organizationId, connection) {
    const { connection_id, base_url, models, api_key_sealed } = connection
    const context = secretContextOf(organizationId, connection_id)
    const api_key = api_key_sealed === null ? null : openKey(sealer, api_key_sealed, context)
    return createJudgeClient({ base_url, api_key, models }, { fetch: outbound.fetch, clock })
  }
}

function openKey(sealer: Sealer | null, sealed: Buffer, context: string): string {
  if (sealer === null) throw keyMissing('this gateway has no SECRETS_KEY')
  try {
    return sealer.open(sealed, context)
  } catch (error) {
    throw error instanceof SealError ? keyMissing(error.message) : error
  }
}

function keyMissing(reason: string): Problem {
  const detail = `The connection's key cannot be opened: ${reason}. Send the key again.`
  return new Problem('secrets_key_missing', { detail })
}
