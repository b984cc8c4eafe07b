/** The versions, models and SDKs of an agent, and a comparison of two versions. */
import type { versionComparison } from '../../../../api/profiles/schemas.ts'
import { useRead } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { formatNumber } from '../../text/format.ts'
import { visible } from '../../text/visible.ts'
import { DataTable, TableSection } from '../../ui/data-table.tsx'
import type { TableColumn } from '../../ui/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Rate } from '../../ui/rate.tsx'
import { Time } from '../../ui/time.tsx'
import { agentPath, StateSelect, useAgentState } from './agent-state.tsx'
import type { AgentPartProps } from './agent-state.tsx'

type Facet = AgentPartProps['profile']['versions'][number]
type ComparisonBody = WireOf<typeof versionComparison>

const columns: readonly TableColumn<Facet>[] = [
  { name: 'Value', cell: ({ value }) => visible(value) },
  { name: 'First seen', cell: ({ first_seen }) => <Time iso={first_seen} /> },
  { name: 'Last seen', cell: ({ last_seen }) => <Time iso={last_seen} /> },
  { name: 'Decisions', isNumber: true, cell: ({ decisions }) => formatNumber(decisions) },
  { name: 'Input tokens', isNumber: true, cell: ({ input_tokens }) => sumOf(input_tokens) },
  { name: 'Output tokens', isNumber: true, cell: ({ output_tokens }) => sumOf(output_tokens) },
  { name: 'Error rate', cell: ({ error_rate }) => <Rate measure={error_rate} none="not sent" /> },
  { name: 'Mean latency in ms', cell: ({ latency_ms }) => measureOf(latency_ms) }
]

function sumOf(value: number | null): string {
  return value === null ? 'not sent' : formatNumber(value)
}

function measureOf(measure: Facet['latency_ms']) {
  return <Rate measure={measure} format={formatNumber} none="not sent" />
}

export function Versions({ id, profile: { versions, models, sdk_versions } }: AgentPartProps) {
  const tables = { Versions: versions, Models: models, SDKs: sdk_versions }
  const names = Object.fromEntries(versions.map(({ value }) => [value, visible(value)]))
  const options = { '': 'choose…', ...names }
  const [{ window, a, b }] = useAgentState()
  const path = a === '' || b === '' ? null : agentPath(id, '/compare', { window, a, b })
  const query = useRead<ComparisonBody>(path)
  return (
    <>
      {Object.entries(tables).map(([label, rows]) => (
        <TableSection
          key={label}
          {...{ label, rows, columns }}
          empty="No decision in this window has one."
          keyOf={({ value }) => value}
        />
      ))}
      {versions.length > 1 && (
        <section>
          <h2>Compare two versions</h2>
          <StateSelect label="Version A" name="a" options={options} />{' '}
          <StateSelect label="Version B" name="b" options={options} />
          <Loaded query={query} what="the comparison">
            {(comparison) => <Comparison {...comparison} />}
          </Loaded>
        </section>
      )}
    </>
  )
}

function Comparison({ a, b, measures, scores }: ComparisonBody) {
  const rows = [
    ...Object.entries(measures),
    ...scores.flatMap(({ name, version, mean, pass_rate }) => {
      const label = `${visible(name)}${version === null ? '' : ` v${version}`}`
      return [[`Mean of ${label}`, mean] as const, [`Pass rate of ${label}`, pass_rate] as const]
    })
  ].map(([name, compared]) => ({ name: name.replaceAll('_', ' '), ...compared }))
  return (
    <DataTable
      label="Comparison"
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        { name: 'Measure', cell: ({ name }) => name },
        { name: `A: ${visible(a.version)} (n ${a.n})`, cell: (row) => measureOf(row.a) },
        { name: `B: ${visible(b.version)} (n ${b.n})`, cell: (row) => measureOf(row.b) },
        { name: 'B minus A', cell: differenceOf }
      ]}
    />
  )
}

function differenceOf({ delta, ci, significant }: ComparisonBody['measures']['pass_rate']) {
  if (delta === null) return '–'
  const interval = ci === null ? 'too few values' : ci.map(formatNumber).join(' to ')
  return `${formatNumber(delta)} (${interval})${significant === true ? ', significant' : ''}`
}
