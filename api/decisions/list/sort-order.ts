/** The orders in which decisions can be listed. */
import { nameCharsMax } from '../../results/scores/score-filters.ts'
import { measures } from './decision-query.ts'
import type { Measure } from './decision-query.ts'

export type SortOrder =
  | { readonly kind: 'time'; readonly descending: boolean }
  | { readonly kind: 'measure'; readonly descending: boolean; readonly measure: Measure }
  | { readonly kind: 'score'; readonly descending: boolean; readonly name: string }

export const sortDefault = '-received_at'
const scorePrefix = 'score:'

/** @returns null when there is no such order. */
export function readSortOrder(text: string): SortOrder | null {
  const descending = text.startsWith('-')
  const field = descending ? text.slice(1) : text
  if (field === 'received_at') return { kind: 'time', descending }
  const measure = measures.find((name) => name === field)
  if (measure !== undefined) return { kind: 'measure', descending, measure }
  const name = field.startsWith(scorePrefix) ? field.slice(scorePrefix.length) : ''
  const isName = name !== '' && [...name].length <= nameCharsMax
  return isName ? { kind: 'score', descending, name } : null
}

const sortNames = ['received_at', ...measures].map((name) => `\`${name}\``).join(', ')
export const sortChoice = `${sortNames} or \`score:<name>\`, with \`-\` in front or without it`
export const sortDescription =
  `${sortNames} or \`score:<name>\`; with \`-\` in front the greatest come first. ` +
  'What has no value comes last.'
