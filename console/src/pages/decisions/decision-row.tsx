/** One row of the list of decisions. */
import { memo } from 'react'
import { Link } from 'wouter'
import { visible } from '../../text/visible.ts'
import type { DecisionSummary } from '../../api/wire.ts'
import { Pill } from '../../ui/pill.tsx'
import { Time } from '../../ui/time.tsx'

export const columns = [
  'Received',
  'Agent',
  'Verdict',
  'Status',
  'Output',
  'Domain',
  'Model',
  'Tokens',
  'Latency'
] as const

interface DecisionRowProps {
  readonly decision: DecisionSummary
  readonly index: number
  readonly top: number
  readonly isActive: boolean
  /** The URL query of the list, which the link keeps. */
  readonly listQuery: string
  readonly onPeek: (index: number) => void
}

export const DecisionRow = memo(function DecisionRow(props: DecisionRowProps) {
  const { decision, index, top, isActive, listQuery, onPeek } = props
  const { decision_id, evaluation } = decision
  return (
    <div
      role="row"
      id={rowId(index)}
      className="row"
      aria-rowindex={index + 2}
      aria-selected={isActive}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onPeek(index)}
    >
      <span role="gridcell">
        <Link href={`/decisions/${decision_id}${listQuery}`} tabIndex={-1} onClick={keepInRow}>
          <Time iso={decision.received_at} />
        </Link>
      </span>
      <Cell text={decision.agent_id} />
      <span role="gridcell">
        <Pill word={evaluation.verdict} />
      </span>
      <Cell text={evaluation.status.replaceAll('_', ' ')} />
      <Cell text={decision.output_preview} />
      <Cell text={decision.domain} />
      <Cell text={decision.model} />
      <Cell text={tokensOf(decision)} />
      <Cell text={decision.latency_ms === null ? null : `${decision.latency_ms} ms`} />
    </div>
  )
})

/** Says that decisions are missing between the rows around it. */
export function GapRow(props: Pick<DecisionRowProps, 'index' | 'top'> & { readonly gap: string }) {
  const style = { transform: `translateY(${props.top}px)`, gridTemplateColumns: '1fr' }
  return (
    <div role="row" className="row notice" aria-rowindex={props.index + 2} style={style}>
      <span role="gridcell">{props.gap}</span>
    </div>
  )
}

export function rowId(index: number): string {
  return `row-${index}`
}

/** The link opens the decision, so the row must not also show it. */
function keepInRow(event: { stopPropagation(): void }): void {
  event.stopPropagation()
}

function Cell({ text }: { readonly text: string | null }) {
  return (
    <span role="gridcell" className="ellipsis">
      <bdi>{text === null ? '–' : visible(text)}</bdi>
    </span>
  )
}

function tokensOf({ input_tokens, output_tokens }: DecisionSummary): string | null {
  if (input_tokens === null && output_tokens === null) return null
  return ((input_tokens ?? 0) + (output_tokens ?? 0)).toLocaleString('en')
}
