/** A checked query string or body to what it asks for. */
import type { Violation } from '../../../core/problem.ts'
import { invalidQuery } from '../../time-page.ts'
import type { DecisionFilters, DecisionQuery, Inclusion } from './decision-query.ts'
import { payloadsMax } from './payload-limits.ts'
import { labelsMax } from './query-schema.ts'
import { flawOf, readScoreCondition } from './score-condition.ts'
import type { ScoreCondition } from './score-condition.ts'
import { wordsMax, wordsOf } from './search-words.ts'
import { readSortOrder, sortChoice, sortDefault } from './sort-order.ts'

type Given = Readonly<Record<string, unknown>>

const labelPrefix = 'metadata.'
const limitDefault = 50

/** @throws {Problem} 422 */
export function readListQuery(given: Given): DecisionQuery {
  const entries = Object.entries(given)
  const isLabel = ([name]: [string, unknown]): boolean => name.startsWith(labelPrefix)
  const labels = entries
    .filter(isLabel)
    .map(([name, text]) => [name.slice(labelPrefix.length), text])
  const { score, ...rest } = Object.fromEntries(entries.filter((entry) => !isLabel(entry)))
  const texts = (score ?? []) as readonly string[]
  const conditions = texts.map((text) => readScoreCondition(text))
  const wrong = conditions.flatMap((condition, index) => {
    const detail = 'must be name:op:value, as sentiment:ge:0.8, or name:passed'
    return condition === null ? [{ pointer: `/score/${index}`, detail }] : []
  })
  if (labels.length > labelsMax) {
    wrong.push({ pointer: '/metadata', detail: `can be asked for ${labelsMax} members at most` })
  }
  if (wrong.length > 0) throw invalidQuery(wrong)
  return decisionQueryOf({
    ...rest,
    ...(texts.length === 0 ? {} : { score: conditions }),
    ...(labels.length === 0 ? {} : { metadata: Object.fromEntries(labels) as object })
  })
}

/** @throws {Problem} 422 */
export function readSearch(given: Given): DecisionQuery {
  const { score = [] } = given as { score?: readonly ScoreCondition[] }
  const wrong = score.flatMap((condition, index) => {
    const detail = flawOf(condition)
    return detail === null ? [] : [{ pointer: `/score/${index}/value`, detail }]
  })
  if (wrong.length > 0) throw invalidQuery(wrong)
  return decisionQueryOf(given)
}

interface Shape {
  readonly from?: string
  readonly to?: string
  readonly sort?: string
  readonly include?: readonly Inclusion[]
  readonly count?: 'exact' | 'estimate'
  readonly limit?: number
  readonly cursor?: string
}

function decisionQueryOf(given: Given): DecisionQuery {
  const { from, to, cursor, ...shape } = given as Shape
  const { sort = sortDefault, include = [], count, limit = limitDefault, ...filters } = shape
  const query = {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(cursor === undefined ? {} : { cursor }),
    ...{ filters: filters as DecisionFilters, sort, include, count: count ?? null, limit }
  }
  const wrong = flawsOf(query)
  if (wrong.length > 0) throw invalidQuery(wrong)
  return query
}

function flawsOf({ filters, sort, include, limit }: DecisionQuery): readonly Violation[] {
  const wrong: Violation[] = []
  if (readSortOrder(sort) === null) {
    wrong.push({ pointer: '/sort', detail: `must be ${sortChoice.replaceAll('`', '')}` })
  }
  const words = filters.q === undefined ? 1 : wordsOf(filters.q).length
  if (words === 0 || words > wordsMax) {
    wrong.push({ pointer: '/q', detail: `must have from 1 to ${wordsMax} words` })
  }
  if (hasPayloads(include) && limit > payloadsMax) {
    wrong.push({ pointer: '/limit', detail: `must be at most ${payloadsMax} with whole texts` })
  }
  return wrong
}

export function hasPayloads(include: readonly Inclusion[]): boolean {
  return include.some((name) => name !== 'scores')
}
