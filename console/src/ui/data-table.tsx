/** A table of a few hundred rows at most; the list of decisions has its own. */
import type { ReactNode } from 'react'
import { Loaded } from './loaded.tsx'

export interface TableColumn<Row> {
  readonly name: string
  readonly cell: (row: Row) => ReactNode
  /** Aligns numbers by their last digit. */
  readonly isNumber?: boolean
}

interface DataTableProps<Row> {
  /** The name of the table for screen readers. */
  readonly label: string
  /** The first column names the row. */
  readonly columns: readonly TableColumn<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

export function DataTable<Row>({ label, columns, rows, keyOf }: DataTableProps<Row>) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label={label}>
      <table className="data">
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" className={classOf(isNumber)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) => (
                <Cell key={column.name} {...{ column, row }} isHead={index === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface CellProps<Row> {
  readonly column: TableColumn<Row>
  readonly row: Row
  readonly isHead: boolean
}

function Cell<Row>({ column: { cell, isNumber }, row, isHead }: CellProps<Row>) {
  if (isHead) return <th scope="row">{cell(row)}</th>
  return <td className={classOf(isNumber)}>{cell(row)}</td>
}

function classOf(isNumber = false): string | undefined {
  return isNumber ? 'number' : undefined
}

interface TableSectionProps<Row> extends DataTableProps<Row> {
  /** Shown instead of a table without rows. */
  readonly empty: string
}

/** A section with a heading and a table. */
export function TableSection<Row>({ empty, ...table }: TableSectionProps<Row>) {
  return (
    <section>
      <h2>{table.label}</h2>
      {table.rows.length === 0 ? <p>{empty}</p> : <DataTable {...table} />}
    </section>
  )
}

interface PagedTableProps<Row> extends Omit<DataTableProps<Row>, 'rows'> {
  /** The result of `usePages`. */
  readonly list: Omit<Parameters<typeof Loaded>[0]['query'], 'data'> & {
    readonly data: unknown
    readonly rows: readonly Row[]
    readonly hasNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
  /** Shown instead of a table without rows. */
  readonly empty: ReactNode
}

/** A table that loads more rows when asked. */
export function PagedTable<Row>({ list, empty, label, ...table }: PagedTableProps<Row>) {
  const { rows, hasNextPage, isFetching, fetchNextPage } = list
  return (
    <Loaded query={list} what={label.toLowerCase()}>
      {() => (
        <>
          {rows.length === 0 && !hasNextPage ? (
            <div className="empty">{empty}</div>
          ) : (
            <DataTable {...table} label={label} rows={rows} />
          )}
          {hasNextPage && (
            <button type="button" disabled={isFetching} onClick={() => void fetchNextPage()}>
              Load more
            </button>
          )}
        </>
      )}
    </Loaded>
  )
}
