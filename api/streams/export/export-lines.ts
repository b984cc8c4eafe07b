/** Decisions as lines of JSON, with every digit and key as it was sent. */
import { withoutSpace } from '../../../core/json/without-space.ts'
import { evaluationOf } from './export-fields.ts'
import type { ExportField } from './export-fields.ts'
import type { ExportedRow } from './select-exported.ts'

export function linesOf(rows: readonly ExportedRow[], fields: readonly ExportField[]): string {
  return rows.map((row) => `{${fields.map((field) => memberOf(row, field)).join(',')}}\n`).join('')
}

function memberOf(row: ExportedRow, field: ExportField): string {
  return `"${field}":${textOf(row, field)}`
}

/** A line has no line break: the space between the parts of a text goes. */
function textOf(row: ExportedRow, field: ExportField): string {
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
