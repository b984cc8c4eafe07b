/** One row of the list of decisions. */
import { memo } from 'react'
import { Link } from 'wouter'
import { visible } from '../../text/visible.ts'
import type { DecisionSummary } from '../../api/wire.ts'
import { Pill } from '../../ui/pill.tsx'
import { Time } from '../../ui/time.tsx'
import { columns, tracksOf } from './columns.ts'

interface DecisionRowProps {
  readonly decision: DecisionSummary
  readonly index: number
  readonly top: number
  readonly isActive: boolean
  /** The names of the chosen columns. */
  readonly shown: readonly string[]
  /** The URL query of the list, which the link keeps. */
  readonly listQuery: string
  readonly onPeek: (index: number) => void
  /** Called with a position on the screen. */
  readonly onMenu: (decision: DecisionSummary, left: number, top: number) => void
}

export const DecisionRow = memo(function DecisionRow(props: DecisionRowProps) {
  const { decision, index, top, isActive, shown, listQuery, onPeek, onMenu } = props
  return (
    <div
      role="row"
      id={rowId(index)}
      className="row"
      data-id={decision.decision_id}
      aria-rowindex={index + 2}
      aria-selected={isActive}
      style={{ transform: `translateY(${top}px)`, gridTemplateColumns: tracksOf(shown) }}
      onClick={() => onPeek(index)}
      onContextMenu={(event) => {
        event.preventDefault()
        const open = (): void => onMenu(decision, event.clientX, event.clientY)
        // The release of the button would close a menu that opens before it.
        if (event.buttons === 0) open()
        else addEventListener('mouseup', open, { once: true })
      }}
    >
      {shown.map((name) => (
        <span key={name} role="gridcell" className="ellipsis">
          {name === 'received' ? (
            <Link
              href={`/decisions/${decision.decision_id}${listQuery}`}
              tabIndex={-1}
              // The link opens the decision, so the row must not also show it.
              onClick={(event) => event.stopPropagation()}
            >
              <Time iso={decision.received_at} />
            </Link>
          ) : (
            <Cell {...{ name, decision }} />
          )}
        </span>
      ))}
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

function Cell({ name, decision }: { readonly name: string } & Pick<DecisionRowProps, 'decision'>) {
  const text = columns[name]?.textOf(decision) ?? null
  if (name === 'verdict') return <Pill word={text ?? ''} />
  const shown = name === 'status' ? text?.replaceAll('_', ' ') : text
  return <bdi>{visible(shown ?? '–')}</bdi>
}
