/** One row. A character that cannot be seen stays in the text, and the style sheet draws its name.
 */
import { memo } from 'react'
import { formatCount } from '../text/format.ts'
import { indentOf, isOpening, pairOf } from './display-lines.ts'
import type { Found } from './find.ts'
import type { TextIndex } from './index-text.ts'
import { piecesOf, textOf, tokensOf } from './row-pieces.ts'
import type { Piece, Token } from './row-pieces.ts'

interface JsonRowProps {
  readonly id: string
  readonly index: TextIndex
  readonly line: number
  readonly row: number
  readonly top: number
  readonly found: Found
  readonly isSelected: boolean
  readonly isFolded: boolean
}

export const JsonRow = memo(function JsonRow(props: JsonRowProps) {
  const { id, index, line, row, top, found, isSelected, isFolded } = props
  const { lines, isJson } = index
  const depth = lines.depths[line] ?? 0
  const canFold = isJson && isOpening(lines, line)
  const place = { transform: `translateY(${top}px)` }
  const style = { ...place, paddingInlineStart: `${2 + indentOf(depth, lines.columns)}ch` }
  const tokens = isJson ? tokensOf(lines, line) : textOf(lines, line)
  const show = (of: Token[]) =>
    piecesOf(lines.text, of, found).map((piece, key) => (
      <PieceText key={key} {...piece} current={found.current} />
    ))
  return (
    <div
      {...{ id, style, role: 'row', className: 'json-row' }}
      data-row={row}
      aria-rowindex={row + 1}
      aria-selected={isSelected}
      aria-level={isJson ? depth + 1 : undefined}
      aria-expanded={canFold ? !isFolded : undefined}
    >
      {canFold && <span className="json-fold" aria-hidden="true" />}
      <span role="gridcell" dir="ltr">
        {show(tokens)}
        {isFolded && (
          <span className="json-summary">
            {` ${formatCount(pairOf(lines, line) - line - 1, 'line')} `}
          </span>
        )}
        {isFolded && show(tokensOf(lines, pairOf(lines, line)))}
      </span>
    </div>
  )
})

interface PieceTextProps extends Piece {
  /** The index of the current match. */
  readonly current: number
}

function PieceText({ kind, text, name, match, current }: PieceTextProps) {
  const shown = kind === 'mark' && text === ':' ? ': ' : text
  if (name === null && match < 0 && (kind === 'mark' || kind === 'text')) return shown
  const matched = match === current ? 'current' : 'other'
  return (
    <span
      data-kind={kind}
      data-name={name ?? undefined}
      data-match={match < 0 ? undefined : matched}
    >
      {shown}
    </span>
  )
}
