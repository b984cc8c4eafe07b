/** Defines the query parameters of decision lists, and parses them from query strings and bodies.
 */
import type { Filters } from '../../core/cursor.ts'
import type { Violation } from '../../core/problem.ts'
import { allOptional, closed, oneOf, optional, text, withExample } from '../../http/schema.ts'
import type { Static, TObject } from '../../http/schema.ts'
import { plainText } from '../response-schemas.ts'
import { invalidQuery, limitDefault, pageQuery, timeParameters } from '../page.ts'
import { nameCharsMax } from '../results/scores/schemas.ts'
import { filterSchemas, flawOf, labelsMax, listUpTo, measures } from './filters.ts'
import { readScoreCondition, scoreConditionsMax, wordsMax, wordsOf } from './filters.ts'
import type { DecisionFilters, MeasureName } from './filters.ts'

/** Maximum number of decisions that are counted exactly. */
export const countedMax = 10_000
/** Maximum number of decisions on a page with full texts. */
const payloadsMax = 50
/**
 * Maximum size in bytes of the texts on a page. A decision that would exceed it starts the next
 * page.
 */
export const payloadBytesMax = 8 * 2 ** 20
/**
 * Number of characters, in addition to the texts, after which a page ends. A decision can have
 * thousands of scores.
 */
export const otherCharactersMax = 4 * 2 ** 20

const inclusions = ['input', 'output', 'metadata', 'scores'] as const
export type Inclusion = (typeof inclusions)[number]

export const sortDefault = '-received_at'
const measureNames = Object.keys(measures) as MeasureName[]
const sortNames = ['received_at', ...measureNames].map((name) => `\`${name}\``).join(', ')
const sortChoice = `${sortNames} or \`score:<name>\`, with an optional \`-\` prefix`

export const rangeQuery = timeParameters('Received')

const shape = {
  sort: optional(
    text({
      maxLength: nameCharsMax + 10,
      pattern: plainText,
      default: sortDefault,
      description:
        `${sortNames} or \`score:<name>\`. Prefix \`-\` for descending order. Decisions without ` +
        'a value come last.'
    })
  ),
  include: optional(
    listUpTo(
      inclusions.length,
      oneOf(inclusions),
      `Whole texts or scores to include. With texts a page has at most ${payloadsMax} ` +
        `decisions and about ${payloadBytesMax / 2 ** 20} MiB; with scores it ends after about ` +
        `${otherCharactersMax / 2 ** 20} Mi characters.`
    )
  ),
  count: optional(
    oneOf(['exact', 'estimate'], {
      description:
        'Returns the number of matching decisions in `meta.count`. `exact`: counted, up to ' +
        `${countedMax}. \`estimate\`: from hourly sums.`
    })
  ),
  ...pageQuery('decisions')
}

/** Query parameters that filter a list, except the filters on metadata. */
export const filterQuery = {
  ...rangeQuery,
  ...allOptional(withoutMetadata(filterSchemas)),
  score: optional(
    listUpTo(
      scoreConditionsMax,
      text({ minLength: 1, maxLength: nameCharsMax + 100, pattern: plainText }),
      'Score conditions. All must hold. Each is `name:op:value` with eq, ne, lt, le, gt or ' +
        'ge, or `name:op` with passed, failed or exists.'
    )
  )
}
/** Query parameters that filter by metadata: `metadata.<name>`. */
export const labelPatterns = {
  '^metadata\\..{1,100}$': text({ maxLength: 200, pattern: plainText })
}
export const listQuery = { ...filterQuery, ...shape }
export type ListQuery = Partial<Static<TObject<typeof listQuery>>>

export const decisionSearch = withExample(
  closed({
    ...rangeQuery,
    ...allOptional(filterSchemas),
    ...shape,
    limit: optional(shape.limit)
  }),
  {
    from: '-24h',
    verdict: ['fail', 'mixed'],
    score: [{ name: 'refund_policy', op: 'lt', value: 0.5 }],
    metadata: { model: 'small-1' }
  }
)
type DecisionSearch = Readonly<Static<typeof decisionSearch>>

function withoutMetadata({ metadata: _, ...others }: typeof filterSchemas) {
  return others
}

/** A parsed query string or search body. Equivalent strings and bodies result in equal queries. */
export interface DecisionQuery {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly cursor: string | undefined
  readonly filters: DecisionFilters
  readonly sort: string
  readonly include: readonly Inclusion[]
  readonly count: 'exact' | 'estimate' | null
  readonly limit: number
}

/**
 * Returns the range, the filters and the sort order as strings. A cursor contains a hash of them,
 * so it is rejected if any of them changes. An equivalent query string and search body result in
 * the same strings.
 */
export function filterTextsOf({ from, to, filters, sort }: DecisionQuery): Filters {
  const given = Object.entries({ ...filters, sort })
  const texts = given.map(([name, value]) => [name, JSON.stringify(value)] as const)
  return { from, to, ...Object.fromEntries(texts) }
}

const labelPrefix = 'metadata.'

/**
 * Parses a query string.
 * @param given parameters of `listQuery` and `labelPatterns`
 * @throws {Problem} 422 for invalid parameters
 */
export function readListQuery(given: ListQuery): DecisionQuery {
  const { labels = [], others = [] } = Object.groupBy(Object.entries(given), ([name]) =>
    name.startsWith(labelPrefix) ? 'labels' : 'others'
  )
  const { score = [], ...search } = Object.fromEntries(others) as ListQuery
  const conditions = score.map(readScoreCondition)
  refuse([
    ...conditions.map((condition, index) => {
      const detail = 'must be name:op:value such as sentiment:ge:0.8, or name:passed'
      return condition === null && { pointer: `/score/${index}`, detail }
    }),
    labels.length > labelsMax && {
      pointer: '/metadata',
      detail: `must filter by at most ${labelsMax} members`
    }
  ])
  const metadata = labels.map(([name, text]) => [name.slice(labelPrefix.length), String(text)])
  return readSearch({
    ...search,
    ...(score.length > 0 && { score: conditions.filter((condition) => condition !== null) }),
    ...(labels.length > 0 && { metadata: Object.fromEntries(metadata) as Record<string, string> })
  })
}

/**
 * Validates the body of a search and fills in defaults.
 * @throws {Problem} 422 for invalid parameters
 */
export function readSearch({ from, to, cursor, ...given }: DecisionSearch): DecisionQuery {
  const { sort = sortDefault, include = [], limit = limitDefault, count = null, ...filters } = given
  const query = { from, to, cursor, filters, sort, include, count, limit }
  refuse(flawsOf(query))
  return query
}

function flawsOf({ filters, sort, include, limit }: DecisionQuery): (Violation | false)[] {
  const { q, score = [] } = filters
  const words = q === undefined ? 1 : wordsOf(q).length
  return [
    ...score.map((condition, index) => {
      const detail = flawOf(condition)
      return detail !== null && { pointer: `/score/${index}/value`, detail }
    }),
    readSortOrder(sort) === null && {
      pointer: '/sort',
      detail: `must be ${sortChoice.replaceAll('`', '')}`
    },
    (words === 0 || words > wordsMax) && {
      pointer: '/q',
      detail: `must have from 1 to ${wordsMax} words`
    },
    hasPayloads(include) &&
      limit > payloadsMax && {
        pointer: '/limit',
        detail: `must be at most ${payloadsMax} if whole texts are included`
      }
  ]
}

/** @throws {Problem} 422 if there are violations */
function refuse(violations: readonly (Violation | false)[]): void {
  const errors = violations.filter((violation) => violation !== false)
  if (errors.length > 0) throw invalidQuery(errors)
}

export function hasPayloads(include: readonly Inclusion[]): boolean {
  return include.some((name) => name !== 'scores')
}

export type SortOrder =
  | { readonly kind: 'time'; readonly descending: boolean }
  | { readonly kind: 'measure'; readonly descending: boolean; readonly measure: MeasureName }
  | { readonly kind: 'score'; readonly descending: boolean; readonly name: string }

const scorePrefix = 'score:'

/** @returns null if the sort order does not exist */
export function readSortOrder(text: string): SortOrder | null {
  const descending = text.startsWith('-')
  const field = descending ? text.slice(1) : text
  if (field === 'received_at') return { kind: 'time', descending }
  const measure = measureNames.find((name) => name === field)
  if (measure !== undefined) return { kind: 'measure', descending, measure }
  const name = field.startsWith(scorePrefix) ? field.slice(scorePrefix.length) : ''
  const isName = name !== '' && [...name].length <= nameCharsMax
  return isName ? { kind: 'score', descending, name } : null
}
