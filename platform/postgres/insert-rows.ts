/** Inserts many rows with one statement of one text, whatever their number. */
import { textArray, timestamptzArray, uuidArray } from './postgres-array.ts'
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
    return await transaction.query<R>(statement, parametersOf(columns, values))
  }
}

/** The element type of the array parameter of a column: arrays and JSON are sent as text. */
export function elementOf(type: string): string {
  return type.endsWith('[]') || type === 'jsonb' ? 'text' : type
}

export function parametersOf<T>(columns: readonly Column<T>[], values: readonly T[]): unknown[] {
  return columns.map(([, type, valueOf]) => arrayOf(elementOf(type), values.map(valueOf)))
}

/** In binary, which costs least, for three types; the client encodes all others. */
function arrayOf(element: string, values: readonly unknown[]): unknown {
  if (element === 'text' && values.every(isText)) return textArray(values)
  if (element === 'timestamptz' && values.every(isTime)) {
    return timestamptzArray(values.map((value) => value && value.getTime()))
  }
  if (element === 'uuid' && values.every((value) => typeof value === 'string')) {
    return uuidArray(values)
  }
  return values
}

function isText(value: unknown): value is string | null {
  return typeof value === 'string' || value === null
}

function isTime(value: unknown): value is Date | null {
  return value instanceof Date || value === null
}
