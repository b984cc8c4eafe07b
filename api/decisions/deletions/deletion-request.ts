/** The body that asks for a deletion. */
import { isUuid } from '../../../core/ids/ids.ts'
import { Problem } from '../../../core/problem.ts'
import type { JsonSchema } from '../../../platform/validation/json-schema.ts'
import { sentenceOf } from '../../../auth/checked.ts'
import { plainText } from '../../configuration/operation-parts.ts'
import type { DeletionTarget } from './count-found.ts'
import { foundMax } from './count-found.ts'

export const reasonCharsMax = 500

export const deletionReason: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: reasonCharsMax,
  pattern: plainText,
  description: 'For the record.'
}

export const deletionScopes = ['decision', 'session', 'agent'] as const

export const deletionRequestSchema: JsonSchema = {
  type: 'object',
  required: ['scope', 'subject'],
  properties: {
    scope: { enum: deletionScopes },
    subject: {
      type: 'string',
      minLength: 1,
      maxLength: 1000,
      pattern: plainText,
      description: 'The id of the decision, session or agent.'
    },
    reason: { ...deletionReason, description: 'For the record; required with `confirm`.' },
    dry_run: { const: true, description: 'Only counts.' },
    confirm: {
      type: 'integer',
      minimum: 0,
      maximum: foundMax,
      description: `How many decisions there are, as a dry run said: up to ${foundMax}.`
    }
  },
  additionalProperties: false
}

export interface DeletionRequest {
  readonly target: DeletionTarget
  readonly reason: string | null
  /** Null for a dry run. */
  readonly confirm: number | null
}

interface DeletionBody extends DeletionTarget {
  readonly reason?: string
  readonly dry_run?: true
  readonly confirm?: number
}

/** @throws {Problem} 422 */
export function readDeletionRequest(body: unknown): DeletionRequest {
  const { scope, subject, reason, dry_run, confirm } = body as DeletionBody
  if (scope === 'decision' && !isUuid(subject)) throw invalid('/subject', 'must be a UUID')
  if ((dry_run === undefined) === (confirm === undefined)) {
    throw invalid('/confirm', 'must be given, or dry_run, and not both')
  }
  if (confirm !== undefined && reason === undefined) throw invalid('/reason', 'is required')
  const target = { scope, subject: scope === 'decision' ? subject.toLowerCase() : subject }
  return { target, reason: reason ?? null, confirm: confirm ?? null }
}

function invalid(pointer: string, detail: string): Problem {
  const errors = [{ pointer, detail }]
  return new Problem('invalid_body', { detail: sentenceOf('The body', errors), errors })
}
