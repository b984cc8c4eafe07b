/** Decisions as CSV (RFC 4180): an absent value is empty, and an empty text is `""`. */
import { stringify } from 'csv-stringify/sync'
import { evaluationOf } from './export-fields.ts'
import type { ExportField } from './export-fields.ts'
import type { ExportedRow } from './select-exported.ts'

export interface CsvOptions {
  readonly fields: readonly ExportField[]
  /** An apostrophe before texts that a spreadsheet would take for a formula. */
  readonly isSafe: boolean
}

type Cell = string | number | null

const evaluationColumns = ['evaluation_status', 'evaluation_verdict', 'evaluation_scores']

export function csvHeaderOf({ fields }: CsvOptions): string {
  const names = fields.flatMap((field) => (field === 'evaluation' ? evaluationColumns : [field]))
  return `${names.join(',')}\r\n`
}

export function csvOf(rows: readonly ExportedRow[], { fields, isSafe }: CsvOptions): string {
  const cells = rows.map((row) => fields.flatMap((field) => cellsOf(row, field)))
  if (cells.length === 0) return ''
  // Every text in quotes: one with a lone line feed would end its record elsewhere.
  return stringify(cells, {
    record_delimiter: 'windows',
    quoted_string: true,
    escape_formulas: isSafe
  })
}

/** `output` as the text that it is; `input` and `metadata` as the JSON text that was sent. */
function cellsOf(row: ExportedRow, field: ExportField): Cell[] {
  const { decision } = row
  switch (field) {
    case 'evaluation': {
      const { status, verdict, scores } = evaluationOf(row)
      return [status, verdict, scores]
    }
    case 'output':
      return [String(JSON.parse(decision.output))]
    case 'received_at':
    case 'stored_at':
      return [decision[field].toISOString()]
    default:
      return [decision[field]]
  }
}
