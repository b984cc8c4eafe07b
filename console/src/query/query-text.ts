/** Splits the text of the query bar into terms: `field:value`, or words to search for. */

export interface QueryTerm {
  /** The term as typed, with its quotes. */
  readonly text: string
  /** Null for words to search for. */
  readonly field: string | null
  /** Without quotes. */
  readonly value: string
}

/** A term is a word in which quoted parts may contain spaces. */
const termExpression = /(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g
const fieldExpression = /^(-?[a-z_]+(?:[.](?:[^\s":]|"(?:[^"\\]|\\.)*")+)?):(.*)$/s

export function termsOf(text: string): readonly QueryTerm[] {
  return [...text.matchAll(termExpression)].map(([term]) => {
    const [, field, value] = fieldExpression.exec(term) ?? []
    if (field === undefined || value === undefined) {
      return { text: term, field: null, value: unquote(term) }
    }
    return { text: term, field: unquote(field), value: unquote(value) }
  })
}

/** Removes the quotes of quoted parts, and the backslash before `"` and `\`. */
function unquote(text: string): string {
  return text.replaceAll(/"((?:[^"\\]|\\.)*)"?/g, (_, inner: string) =>
    inner.replaceAll(/\\(["\\])/g, '$1')
  )
}

/** Writes a value so that it is one term. */
export function quoteValue(value: string): string {
  return /[\s":\\]/.test(value) || value === '' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : value
}

/** Returns the text with one term for the field, or without it if `value` is empty. */
export function withField(text: string, field: string, value: string): string {
  const others = termsOf(text).filter((term) => term.field !== field)
  const added = value === '' ? [] : [`${field}:${quoteValue(value)}`]
  return [...others.map((term) => term.text), ...added].join(' ')
}

/** Returns the value of the field, or an empty text. */
export function fieldOf(text: string, field: string): string {
  return termsOf(text).find((term) => term.field === field)?.value ?? ''
}
