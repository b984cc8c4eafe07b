/** Inserts any number of rows with one constant statement. */
import { textArray, timestamptzArray, uuidArray } from './postgres-array.ts'
import type { Queryable, Row } from './postgres.ts'

/**
 * Column name, type, and function that returns the column's value. The value of an array column
 * such as `text[]` must be an array literal (`{a,b}`), because Postgres has no arrays of arrays.
 */
export type Column<T> = readonly [name: string, type: string, valueOf: (value: T) => unknown]

interface InsertOptions {
  /** SQL after the rows: `on conflict …`, `returning …`. */
  readonly tail: string
}

/**
 * Inserts one row per value. Sends no statement if there are no values.
 * @returns the rows that `tail` returns
 */
type InsertRows<T> = <R extends Row>(transaction: Queryable, values: readonly T[]) => Promise<R[]>

/**
 * Creates an insert function. It sends each column as one array, so that Postgres plans one
 * statement per call instead of one per row.
 */
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

/** Returns the element type of a column's array parameter. Arrays and JSON are sent as text. */
export function elementOf(type: string): string {
  return type.endsWith('[]') || type === 'jsonb' ? 'text' : type
}

export function parametersOf<T>(columns: readonly Column<T>[], values: readonly T[]): unknown[] {
  return columns.map(([, type, valueOf]) => arrayOf(elementOf(type), values.map(valueOf)))
}

/** Encodes text, times and UUIDs in the cheapest form. The driver encodes other types. */
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
