/** Parses the query bar into a search of the API. Invalid terms are reported as errors. */
import { queryFields } from './query-fields.ts'
import { termsOf } from './query-text.ts'
import type { QueryTerm } from './query-text.ts'
import type { SearchBody } from '../api/wire.ts'

interface ParsedQuery {
  readonly search: SearchBody
  /** One sentence for each invalid term. */
  readonly errors: readonly string[]
}

type Draft = Record<string, unknown>
/** Adds a term to the draft, or returns a sentence that says why it cannot be added. */
type AddTerm = (draft: Draft, term: QueryTerm) => string | null

const labelExpression = /^metadata[.](.+)$/s
const scoreExpression = /^score[.](.+)$/s
const comparisonExpression = /^(<=|>=|<|>|=)?(.+)$/s
const scoreOperators: Readonly<Record<string, string>> = {
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
  '=': 'eq'
}

export function parseQuery(text: string): ParsedQuery {
  const draft: Draft = {}
  const errors = termsOf(text).flatMap((term) => adderOf(term)(draft, term) ?? [])
  return { search: draft, errors }
}

function adderOf({ field }: QueryTerm): AddTerm {
  if (field === null) return addWords
  if (labelExpression.test(field)) return addLabel
  if (scoreExpression.test(field)) return addScore
  const form = Object.hasOwn(queryFields, field) ? queryFields[field] : undefined
  return form === undefined ? refuseField : adders[form.kind]
}

const refuseField: AddTerm = (_, { field }) => {
  if (field?.startsWith('-') === true) {
    return `${field} is not possible, because the API cannot exclude values.`
  }
  const names = [...Object.keys(queryFields), 'score.<name>', 'metadata.<name>'].join(', ')
  return `Unknown field ${field}. Known: ${names}. Quote the term to search for it.`
}

const addWords: AddTerm = (draft, { value }) => {
  const before = draft['q'] as string | undefined
  draft['q'] = before === undefined ? value : `${before} ${value}`
  return null
}

const addLabel: AddTerm = (draft, { field, value }) => {
  const name = labelExpression.exec(field ?? '')?.[1] ?? ''
  const labels = (draft['metadata'] ?? {}) as Record<string, string>
  if (Object.hasOwn(labels, name)) return `${field} appears twice. Use it once.`
  draft['metadata'] = Object.fromEntries([...Object.entries(labels), [name, value]])
  return null
}

const addScore: AddTerm = (draft, { field, value }) => {
  const name = scoreExpression.exec(field ?? '')?.[1] ?? ''
  const condition = scoreConditionOf(value)
  if (condition === null) {
    return `${field} needs a comparison such as <0.5 or =good, or passed, failed or exists.`
  }
  draft['score'] = [...((draft['score'] ?? []) as object[]), { name, ...condition }]
  return null
}

function scoreConditionOf(text: string): object | null {
  if (text === 'passed' || text === 'failed' || text === 'exists') return { op: text }
  const [, sign = '=', value] = comparisonExpression.exec(text) ?? []
  if (value === undefined) return null
  const number = Number(value)
  const isNumber = Number.isFinite(number)
  if (!isNumber && sign !== '=') return null
  return { op: scoreOperators[sign], value: isNumber ? number : value }
}

const addText: AddTerm = (draft, { field, value }) => {
  const filter = filterOf(field)
  if (value === '') return `${field} needs a value.`
  if (draft[filter] !== undefined) return `${field} appears twice. Use it once.`
  draft[filter] = value
  return null
}

const addList: AddTerm = (draft, { field, value }) => {
  const filter = filterOf(field)
  const given = value.split(',').filter((each) => each !== '')
  if (given.length === 0) return `${field} needs a value.`
  draft[filter] = [...new Set([...((draft[filter] ?? []) as string[]), ...given])]
  return null
}

const addChoice: AddTerm = (draft, term) => {
  const values = queryFields[term.field ?? '']?.values ?? []
  const wrong = term.value.split(',').find((each) => each !== '' && !values.includes(each))
  if (wrong === undefined) return addList(draft, term)
  return `${term.field} must be one of ${values.join(', ')}; ${wrong} is not allowed.`
}

const addFlag: AddTerm = (draft, { field, value }) => {
  const filter = filterOf(field)
  if (value !== 'true' && value !== 'false') return `${field} must be true or false.`
  if (draft[filter] !== undefined) return `${field} appears twice. Use it once.`
  draft[filter] = value === 'true'
  return null
}

const addRange: AddTerm = (draft, { field, value }) => {
  const [, sign, text = ''] = comparisonExpression.exec(value) ?? []
  const number = text === '' ? Number.NaN : Number(text)
  if ((sign !== '>=' && sign !== '<=') || !(number >= 0)) {
    return `${field} needs >= or <= and a number, such as ${field}:>=500.`
  }
  const filter = `${sign === '>=' ? 'min' : 'max'}_${filterOf(field)}`
  if (draft[filter] !== undefined) return `${field}:${sign} appears twice. Use it once.`
  draft[filter] = number
  return null
}

const adders: Readonly<Record<'text' | 'list' | 'choice' | 'range' | 'flag', AddTerm>> = {
  text: addText,
  list: addList,
  choice: addChoice,
  range: addRange,
  flag: addFlag
}

function filterOf(field: string | null): string {
  return queryFields[field ?? '']?.filter ?? ''
}
