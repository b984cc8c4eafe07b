/** Renders decisions as JSON. Stored JSON is inserted unchanged, because parsing and serializing it
 * would round numbers and reorder keys.
 */
import { hash } from 'node:crypto'
import { jsonHeaders } from '../../http/call.ts'
import type { Reply } from '../../http/call.ts'
import { runViewOf } from '../evaluation-run.ts'
import { evaluationViewOf } from '../evaluation-view.ts'
import { previewOf, previewOfLiteral } from '../preview.ts'
import type { DecisionEvaluation } from '../read-evaluations.ts'
import type { DecisionRow, SummaryRow } from './queries.ts'
import type { SummaryView, DecisionView } from './schemas.ts'

export function summaryOf(
  { input_start, output_start, sort_key: _, bytes: __, ...members }: SummaryRow,
  { status, verdict }: SummaryView['evaluation']
): SummaryView {
  const input = previewOf(input_start)
  const output = previewOfLiteral(output_start)
  return {
    ...members,
    input_preview: input.preview,
    input_truncated: input.truncated,
    output_preview: output.preview,
    output_truncated: output.truncated,
    evaluation: { status, verdict }
  }
}

/** Renders a whole decision. */
export function decisionText(row: DecisionRow, known: DecisionEvaluation, withRuns: boolean) {
  const { status, verdict, scores } = evaluationViewOf(known)
  const runs = withRuns ? { runs: known.runs.map(runViewOf) } : {}
  const { input, output, metadata } = row
  const asSent = new Map(Object.entries({ input, output, metadata }))
  const view: DecisionView = { ...row, evaluation: { status, verdict, scores, ...runs } }
  const texts = Object.entries(view).map(
    ([name, value]) => `"${name}":${asSent.get(name) ?? JSON.stringify(value)}`
  )
  return `{${texts.join(',')}}`
}

const tagChars = 27

/**
 * Creates a response whose ETag is a hash of the body. A client that already has the content
 * receives 304 without a body.
 */
export function taggedReply(body: string, ifNoneMatch: string | undefined): Reply {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, tagChars)}"`
  if (isAmong(etag, ifNoneMatch ?? '')) return { status: 304, headers: { etag }, body: '' }
  return { status: 200, headers: { ...jsonHeaders, etag }, body }
}

/**
 * Checks whether an If-None-Match list contains the tag. The comparison ignores W/ prefixes (RFC
 * 9110, section 13.1.2).
 */
function isAmong(etag: string, list: string): boolean {
  const tags = list.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
