/** The columns of the list of decisions. A column with the name of a field of the query bar can be
 * filtered.
 */
import type { DecisionSummary } from '../../api/wire.ts'
import { formatBytes, formatNumber, formatScore } from '../../text/format.ts'

type TextOf = (decision: DecisionSummary) => string | null

interface Column {
  readonly title: string
  /** A track of a CSS grid. */
  readonly width: string
  readonly textOf: TextOf
}

function column(title: string, width: string, textOf: TextOf): Column {
  return { title, width, textOf }
}

const wide = 'minmax(100px, 3fr)'
const name = 'minmax(60px, 1fr)'

export const columns: Readonly<Record<string, Column>> = {
  received: column('Received', '186px', (row) => row.received_at),
  agent: column('Agent', 'minmax(112px, 1.5fr)', (row) => row.agent_id),
  verdict: column('Verdict', '60px', (row) => row.evaluation.verdict),
  status: column('Status', '78px', (row) => row.evaluation.status),
  scores: column('Scores', 'minmax(150px, 1.5fr)', scoresOf),
  output: column('Output', wide, (row) => row.output_preview),
  input: column('Input', wide, (row) => row.input_preview),
  domain: column('Domain', name, (row) => row.domain),
  model: column('Model', name, (row) => row.model),
  version: column('Version', '80px', (row) => row.agent_version),
  session: column('Session', name, (row) => row.session_id),
  tokens: column('Tokens', '54px', (row) => sumOf(row.input_tokens, row.output_tokens)),
  latency: column('Latency', '60px', latencyOf),
  size: column('Size', '110px', sizeOf),
  sdk: column('SDK', '80px', (row) => row.sdk_version)
}

export const columnNames = Object.keys(columns)
const optional = ['scores', 'input', 'version', 'session', 'size', 'sdk']
export const columnsDefault = columnNames.filter((each) => !optional.includes(each))

/** Width in pixels that a column needs on average. */
export const columnPixels = 95

/** Returns the widths of the columns, for `grid-template-columns`. */
export function tracksOf(shown: readonly string[]): string {
  return shown.map((each) => columns[each]?.width).join(' ')
}

const scoresShown = 3
type ScoreEntry = readonly [string, NonNullable<DecisionSummary['scores']>[string]]

function scoresOf({ scores = {} }: DecisionSummary): string {
  // Failed scores first. The API does not define an order.
  const rank = ([name, { passed }]: ScoreEntry): string => `${passed === false ? 0 : 1}${name}`
  const sorted = Object.entries(scores).sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
  const shown = sorted.slice(0, scoresShown)
  return shown.map(([name, score]) => `${name} ${formatScore(score)}`).join(', ')
}

function sumOf(input: number | null, output: number | null): string | null {
  if (input === null && output === null) return null
  return formatNumber((input ?? 0) + (output ?? 0))
}

function sizeOf({ input_bytes, output_bytes, metadata_bytes }: DecisionSummary): string {
  return formatBytes(input_bytes + output_bytes + (metadata_bytes ?? 0))
}

function latencyOf({ latency_ms }: DecisionSummary): string | null {
  return latency_ms === null ? null : `${latency_ms} ms`
}
