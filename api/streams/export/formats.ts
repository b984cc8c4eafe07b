/** Formats exported decisions as NDJSON or CSV. Their fields have the same names as in the rest of
 * the API.
 */
import { stringify } from 'csv-stringify/sync'
import { withoutSpace } from '../../../core/json/without-space.ts'
import { boolean, oneOf, optional, text, withDefault } from '../../../http/schema.ts'
import type { Static, TObject } from '../../../http/schema.ts'
import type { DecisionRow } from '../../decisions/queries.ts'
import { exportedMembers } from '../../decisions/schemas.ts'
import type { StoredEvaluation } from '../tail/queries.ts'

export interface ExportedRow {
  readonly decision: DecisionRow
  /** Null if no evaluation is stored. */
  readonly state: StoredEvaluation | null
}

type ExportField = keyof typeof exportedMembers
const exportFields = Object.keys(exportedMembers) as ExportField[]
const name = `(${exportFields.join('|')})`

/** The query parameters that choose the format of an export. */
export const formatQuery = {
  format: withDefault(
    oneOf(['ndjson', 'csv'], {
      type: 'string',
      default: 'ndjson',
      description: '`ndjson`: a JSON object on each line. `csv`: RFC 4180, with a header.'
    })
  ),
  fields: optional(
    text({
      pattern: `^${name}(,${name})*$`,
      examples: [exportFields.join(',')],
      maxLength: 1000,
      description:
        'Comma-separated list of the members or columns to export: ' +
        `${exportFields.join(', ')}. Default: all.`
    })
  ),
  csv_safe: withDefault(
    boolean({
      default: true,
      description:
        'Puts an apostrophe before each text that a spreadsheet would run as a formula. ' +
        '`false` exports texts exactly as they were sent.'
    })
  )
}
export type ExportFormat = Static<TObject<typeof formatQuery>>

/**
 * @param names the fields, comma-separated; all by default
 * @returns `head`, the text before the first row, and `render`, which formats rows
 */
export function rendererOf(
  { format, csv_safe }: Pick<ExportFormat, 'format' | 'csv_safe'>,
  names: string | undefined
) {
  const asked = names === undefined ? null : ([...new Set(names.split(','))] as ExportField[])
  const fields = asked ?? exportFields
  const isCsv = format === 'csv'
  return {
    head: isCsv ? csvHeaderOf(fields) : '',
    render: (rows: readonly ExportedRow[]) =>
      isCsv ? csvOf(rows, fields, csv_safe) : linesOf(rows, fields)
  }
}

/** Formats rows as NDJSON. Numbers and keys are written exactly as they were sent. */
function linesOf(rows: readonly ExportedRow[], fields: readonly ExportField[]): string {
  const lineOf = (row: ExportedRow) => fields.map((field) => `"${field}":${jsonOf(row, field)}`)
  return rows.map((row) => `{${lineOf(row).join(',')}}\n`).join('')
}

/**
 * Returns the JSON of a field. Removes whitespace between tokens, because NDJSON lines must not
 * contain line breaks.
 */
function jsonOf(row: ExportedRow, field: ExportField): string {
  const { decision } = row
  if (field === 'evaluation') {
    const { status, verdict, scores } = evaluationOf(row)
    return `${JSON.stringify({ status, verdict }).slice(0, -1)},"scores":${scores}}`
  }
  if (field === 'output') return decision.output
  if (field === 'input') return withoutSpace(decision.input)
  if (field === 'metadata') return withoutSpace(decision.metadata ?? 'null')
  return JSON.stringify(decision[field])
}

/** Returns the stored evaluation of a row, with `scores` as JSON text. */
function evaluationOf({ state }: ExportedRow) {
  const { status = 'pending', verdict = 'none', scores = '{}' } = state ?? {}
  return { status, verdict, scores: withoutSpace(scores) }
}

const evaluationColumns = ['evaluation_status', 'evaluation_verdict', 'evaluation_scores']

function csvHeaderOf(fields: readonly ExportField[]): string {
  const names = fields.flatMap((field) => (field === 'evaluation' ? evaluationColumns : [field]))
  return `${names.join(',')}\r\n`
}

/** Formats rows according to RFC 4180. A null is an empty field, and an empty string is `""`. */
function csvOf(
  rows: readonly ExportedRow[],
  fields: readonly ExportField[],
  escape_formulas: boolean
): string {
  const cells = rows.map((row) => fields.flatMap((field) => cellsOf(row, field)))
  if (cells.length === 0) return ''
  // Quote all texts. Unquoted, a line feed would end the record.
  return stringify(cells, { record_delimiter: 'windows', quoted_string: true, escape_formulas })
}

/**
 * Returns the cells of a field: `output` as plain text, `input` and `metadata` as the JSON that was
 * sent.
 */
function cellsOf(row: ExportedRow, field: ExportField): (string | number | null)[] {
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
