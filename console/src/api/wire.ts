/** The types of API responses as the browser receives them, derived from the API's schemas. */
import type { me } from '../../../api/accounts/schemas.ts'
import type { context, decision, decisionPage, facets } from '../../../api/decisions/schemas.ts'
import type { decisionSearch } from '../../../api/decisions/list-query.ts'
import type { evaluation } from '../../../api/results/schemas.ts'
import type { stats } from '../../../api/stats/schemas.ts'
import type { Static, TSchema } from '../../../http/schema.ts'

/** Removes Date from the type of a time, because the browser receives times as strings. */
type Wire<T> = T extends Date
  ? never
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: Wire<T[Name]> }
      : T

/** The type of a response as the browser receives it. */
export type WireOf<S extends TSchema> = Wire<Static<S>>

/** One page of a list. */
export interface PageOf<T> {
  readonly data: readonly T[]
  readonly meta: { readonly next_cursor: string | null } & Partial<Lag>
}

/** How far the data of a read lags behind the accepted decisions. */
export type Lag = Pick<DecisionPageBody['meta'], 'as_of' | 'lag_ms'>

export type Me = WireOf<typeof me>
export type DecisionPageBody = WireOf<typeof decisionPage>
export type DecisionSummary = DecisionPageBody['data'][number]
export type FacetsBody = WireOf<typeof facets>
export type StatsBody = WireOf<typeof stats>
export type SearchBody = Static<typeof decisionSearch>
export type EvaluationBody = WireOf<typeof evaluation>
export type PlanEntryBody = EvaluationBody['plan'][number]
export type DecisionContext = WireOf<typeof context>
export type SessionDecision = DecisionContext['before'][number]
export type DecisionTrace = NonNullable<DecisionContext['trace']>
export type TracedDecision = DecisionTrace['decisions'][number]
type WireDecision = WireOf<typeof decision>
/** The members of a decision that are not payload. */
export type DecisionFields = Omit<WireDecision, 'input' | 'output' | 'metadata'>
