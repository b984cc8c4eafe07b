/** A connection as a caller describes it, checked and filled in. */
import { Problem } from '../../core/problem.ts'
import type { Violation } from '../../core/problem.ts'
import type { ModelPrice } from '../../platform/llm/judge-client.ts'
import type { Outbound } from '../../platform/http-client/outbound.ts'
import type { Sealer } from '../../platform/security/sealed-secret.ts'
import { invalidBody } from '../configuration/refusals.ts'
import type { StoredConnection } from './connection-rows.ts'

/** The body of POST; that of PATCH has some of it. */
export interface ConnectionBody {
  readonly name: string
  readonly base_url: string
  readonly api_key?: string | null
  readonly models?: readonly Partial<ModelPrice>[]
  readonly concurrency_max?: number
}

export interface ConnectionDraft {
  readonly name: string
  readonly base_url: string
  /** Undefined keeps the one it has; null is none. */
  readonly api_key: string | null | undefined
  readonly models: readonly ModelPrice[]
  readonly concurrency_max: number
}

const concurrencyDefault = 8

/** @param before the connection that is changed; null for a new one. */
export function connectionDraftOf(
  body: Partial<ConnectionBody>,
  before: StoredConnection | null
): ConnectionDraft {
  const { name = '', base_url = '', concurrency_max = concurrencyDefault } = { ...before, ...body }
  const models = (body.models ?? before?.models ?? []).map(priceOf)
  const api_key = before === null ? (body.api_key ?? null) : body.api_key
  return { name, base_url, api_key, models, concurrency_max }
}

function priceOf(price: Partial<ModelPrice>): ModelPrice {
  const { model = '', usd_per_million_input, usd_per_million_output } = price
  return {
    model,
    usd_per_million_input: usd_per_million_input ?? null,
    usd_per_million_output: usd_per_million_output ?? null
  }
}

/** @throws {Problem} 422, with everything that is wrong */
export function refuseConnection(
  draft: ConnectionDraft,
  before: StoredConnection | null,
  outbound: Pick<Outbound, 'addressObjection'>
): void {
  const errors = [
    ...violationsOfUrl(draft.base_url, outbound),
    ...violationsOfModels(draft.models),
    ...violationsOfKey(draft, before)
  ]
  if (errors.length > 0) throw invalidBody(errors)
}

function violationsOfUrl(url: string, outbound: Pick<Outbound, 'addressObjection'>): Violation[] {
  const objection = outbound.addressObjection(url) ?? objectionToParts(url)
  return objection === null ? [] : [{ pointer: '/base_url', detail: objection }]
}

function objectionToParts(url: string): string | null {
  return /[?#]/.test(url) ? 'must end where /chat/completions begins, without ? and #' : null
}

function violationsOfModels(models: readonly ModelPrice[]): Violation[] {
  const names = models.map(({ model }) => model)
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ pointer: `/models/${index}/model`, detail: 'is in the list already' }]
  )
}

/** Else whoever may change the URL could have the key, which nobody is shown, sent to himself. */
function violationsOfKey(draft: ConnectionDraft, before: StoredConnection | null): Violation[] {
  const keeps = draft.api_key === undefined && before !== null && before.api_key_sealed !== null
  if (!keeps || originOf(before.base_url) === originOf(draft.base_url)) return []
  const detail = 'is required with a base_url of another origin: the old key is not sent there'
  return [{ pointer: '/api_key', detail }]
}

function originOf(url: string): string | undefined {
  return URL.parse(url)?.origin
}

/** The last characters tell keys apart; of a short key they would tell too much. */
const hintChars = 4
const hintedCharsMin = 12

export interface SealedKey {
  readonly sealed: Buffer | null
  readonly hint: string | null
}

/** @throws {Problem} 409 where there is no SECRETS_KEY */
export function sealKey(apiKey: string | null, sealer: Sealer | null, context: string): SealedKey {
  if (apiKey === null) return { sealed: null, hint: null }
  if (sealer === null) {
    const detail =
      'This gateway has no SECRETS_KEY to keep the key under; its operator has to set it.'
    throw new Problem('secrets_key_missing', { detail })
  }
  const hint = apiKey.length < hintedCharsMin ? null : apiKey.slice(-hintChars)
  return { sealed: sealer.seal(apiKey, context), hint }
}
