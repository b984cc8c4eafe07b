/** Inserts many rows with one statement of one text, whatever their number. */
import type { Queryable, Row } from './postgres.ts'

/**
 * A column, its type, and what a value has of it. An array cannot be an element of an array: for a
 * column like `text[]` the value is the array's text, `{a,b}`.
 */
export type Column<T> = readonly [name: string, type: string, valueOf: (value: T) => unknown]

export interface InsertOptions {
  /** What follows the rows: `on conflict …`, `returning …`. */
  readonly tail: string
}

/** @returns what `tail` returns; without values nothing is asked. */
export type InsertRows<T> = <R extends Row>(
  transaction: Queryable,
  values: readonly T[]
) => Promise<R[]>

/** Each column travels as one array, so that the server plans the statement once. */
export function createInsertRows<T>(
  table: string,
  columns: readonly Column<T>[],
  { tail }: InsertOptions
): InsertRows<T> {
  const names = columns.map(([name]) => name).join(', ')
  const arrays = columns.map(([, type], index) => `$${index + 1}::${elementOf(type)}[]`)
  const values = columns.map(([name, type]) => `${name}::${type}`).join(', ')
  const statement = `insert into ${table} (${names})
    select ${values} from unnest(${arrays.join(', ')}) as given (${names}) ${tail}`

  return async function insertRows<R extends Row>(transaction: Queryable, values: readonly T[]) {
    if (values.length === 0) return []
    const parameters = columns.map(([, , valueOf]) => values.map(valueOf))
    return await transaction.query<R>(statement, parameters)
  }
}

function elementOf(type: string): string {
  return type.endsWith('[]') ? 'text' : type
}
