/** SQL template strings: turn each value into a parameter and insert fragments as they are. */
import type { Queryable, Row } from './postgres.ts'

/** A statement or a fragment of one, with its values. */
export class Sql {
  readonly #strings: readonly string[]
  readonly #values: readonly unknown[]

  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.#strings = strings
    this.#values = values
  }

  /** Returns the text with placeholders `$1`, `$2`, … and appends their values to `values`. */
  compile(values: unknown[]): string {
    return this.#strings.reduce((text, string, index) => {
      const value = this.#values[index - 1]
      const place = value instanceof Sql ? value.compile(values) : `$${values.push(value)}`
      return text + place + string
    })
  }
}

export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  return new Sql(strings, values)
}

/** SQL text that is not a value, for example a column name. It must not contain user input. */
export function raw(text: string | number): Sql {
  return new Sql([String(text)], [])
}

/** Joins conditions with `and`, ignoring null. Returns `true` if there are none. */
export function and(conditions: readonly (Sql | null)[]): Sql {
  const applied = conditions.filter((condition) => condition !== null)
  return applied.length === 0
    ? sql`true`
    : applied.reduce((all, condition) => sql`${all} and ${condition}`)
}

export function query<R extends object>(on: Queryable, statement: Sql): Promise<R[]> {
  const values: unknown[] = []
  return on.query<R & Row>(statement.compile(values), values)
}
