/** Texts that the store cannot keep as they came, wherever they stand in what a caller says. */
import { pointerTo } from '../core/json/json-pointer.ts'
import type { Violation } from '../core/problem.ts'

const detail = 'must hold neither U+0000 nor half of a surrogate pair'

/** @param value JSON that nests as deeply as bodies may */
export function unstorableTexts(value: unknown, pointer = ''): Violation[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [{ pointer, detail }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    // Of a name that cannot be told the place is that of its object.
    ...(isStorable(name) ? [] : [{ pointer, detail: `has a name that ${detail}` }]),
    ...unstorableTexts(member, pointer + pointerTo(isStorable(name) ? name : '?'))
  ])
}

function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed()
}
