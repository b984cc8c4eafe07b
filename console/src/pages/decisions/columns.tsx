/** The columns of the list of decisions. */
import type { ReactNode } from 'react'
import type { DecisionSummary } from '../../api/wire.ts'
import { formatBytes } from '../../text/format.ts'
import { Pill } from '../../ui/pill.tsx'

export interface Column {
  readonly title: string
  /** A track of a CSS grid. */
  readonly width: string
  /** The field of the query bar that filters by the text. */
  readonly field?: string
  /** Whether the text may be only the start of the value, so that it is not worth copying. */
  readonly isPreview?: boolean
  /** The text of the cell; null if the decision has none. */
  readonly textOf: (decision: DecisionSummary) => string | null
  /** Default: the text. */
  readonly cell?: (decision: DecisionSummary) => ReactNode
}

const scoresShown = 3

export const columns: Readonly<Record<string, Column>> = {
  received: { title: 'Received', width: '186px', textOf: (row) => row.received_at },
  agent: {
    title: 'Agent',
    width: 'minmax(90px, 1fr)',
    field: 'agent',
    textOf: (row) => row.agent_id
  },
  verdict: {
    title: 'Verdict',
    width: '70px',
    field: 'verdict',
    textOf: (row) => row.evaluation.verdict,
    cell: (row) => <Pill word={row.evaluation.verdict} />
  },
  status: {
    title: 'Status',
    width: '100px',
    field: 'status',
    textOf: (row) => row.evaluation.status,
    cell: (row) => row.evaluation.status.replaceAll('_', ' ')
  },
  scores: { title: 'Scores', width: 'minmax(150px, 1.5fr)', isPreview: true, textOf: scoresOf },
  output: {
    title: 'Output',
    width: 'minmax(160px, 3fr)',
    isPreview: true,
    textOf: (row) => row.output_preview
  },
  input: {
    title: 'Input',
    width: 'minmax(160px, 2fr)',
    isPreview: true,
    textOf: (row) => row.input_preview
  },
  domain: {
    title: 'Domain',
    width: 'minmax(70px, 0.8fr)',
    field: 'domain',
    textOf: (row) => row.domain
  },
  model: {
    title: 'Model',
    width: 'minmax(70px, 0.8fr)',
    field: 'model',
    textOf: (row) => row.model
  },
  version: {
    title: 'Version',
    width: '80px',
    field: 'version',
    textOf: (row) => row.agent_version
  },
  session: {
    title: 'Session',
    width: 'minmax(90px, 1fr)',
    field: 'session',
    textOf: (row) => row.session_id
  },
  tokens: { title: 'Tokens', width: '60px', textOf: tokensOf },
  latency: {
    title: 'Latency',
    width: '76px',
    textOf: ({ latency_ms }) => (latency_ms === null ? null : `${latency_ms} ms`)
  },
  size: { title: 'Size', width: '110px', textOf: (row) => formatBytes(bytesOf(row)) },
  sdk: { title: 'SDK', width: '80px', field: 'sdk', textOf: (row) => row.sdk_version }
}

export const columnNames = Object.keys(columns)
const optional = ['scores', 'input', 'version', 'session', 'size', 'sdk']
export const columnsDefault = columnNames.filter((name) => !optional.includes(name))

/** Returns the widths of the columns, for `grid-template-columns`. */
export function tracksOf(shown: readonly string[]): string {
  return shown.map((name) => columns[name]?.width).join(' ')
}

function scoresOf({ scores = {} }: DecisionSummary): string {
  const shown = Object.entries(scores).slice(0, scoresShown)
  return shown.map(([name, { label, value }]) => `${name} ${label ?? value ?? '–'}`).join(', ')
}

function tokensOf({ input_tokens, output_tokens }: DecisionSummary): string | null {
  if (input_tokens === null && output_tokens === null) return null
  return ((input_tokens ?? 0) + (output_tokens ?? 0)).toLocaleString('en')
}

function bytesOf({ input_bytes, output_bytes, metadata_bytes }: DecisionSummary): number {
  return input_bytes + output_bytes + (metadata_bytes ?? 0)
}
