/** Shows a text exactly as it was sent: JSON with folding and colors, any other text as lines. */
import { useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { useFind } from './find.ts'
import type { TextIndex } from './index-text.ts'
import { pointerAt } from './json-path.ts'
import { JsonRows } from './json-rows.tsx'
import { JsonToolbar } from './json-toolbar.tsx'
import { nameUnseen } from './named-characters.ts'
import { useColumns } from './use-columns.ts'
import { useRows } from './use-rows.ts'
import { useTextIndex } from './use-text-index.ts'
import './json-view.css'

interface JsonViewProps {
  /** The text, which is shown without being parsed. */
  readonly text: string
  /** The accessible name, for example `Input`. */
  readonly label: string
}

export function JsonView({ text, label }: JsonViewProps) {
  const [isRaw, setRaw] = useState(false)
  // The choice of the view stays; folds, cursor and matches belong to one text.
  return <TextViewer key={text} {...{ text, label, isRaw, setRaw }} />
}

interface TextViewerProps extends JsonViewProps {
  readonly isRaw: boolean
  readonly setRaw: (isRaw: boolean) => void
}

function TextViewer({ text, label, isRaw, setRaw }: TextViewerProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const index = useTextIndex(text, useColumns(scroller), isRaw)
  const rows = useRows(index)
  const find = useFind(text, rows)
  function onKeyDown(event: KeyboardEvent): void {
    const isFind = event.key === 'f' && (event.ctrlKey || event.metaKey)
    if (!isFind && (event.key !== '/' || event.target === input.current)) return
    event.preventDefault()
    event.stopPropagation()
    input.current?.select()
  }
  return (
    <div className="json-view" role="group" aria-label={label} onKeyDown={onKeyDown}>
      <JsonToolbar
        {...{ text, label, isRaw, setRaw, index, rows, find, input }}
        onLeave={() => scroller.current?.focus()}
      />
      <JsonRows {...{ label, index, rows, found: find.found, scroller }} />
      <PathLine {...{ index, isRaw, line: rows.line }} />
    </div>
  )
}

/** A longer path is cut, but copied whole. */
const pathMax = 400

interface PathLineProps {
  readonly index: TextIndex | null
  readonly isRaw: boolean
  readonly line: number
}

function PathLine({ index, isRaw, line }: PathLineProps) {
  const note = isRaw ? 'The whole text, unchanged.' : 'This cannot be folded as JSON.'
  const path = index?.isJson === true ? pointerAt(index.lines, line) || 'Whole document' : note
  const shown = index === null ? 'Reading the text…' : path.slice(0, pathMax)
  return (
    <p className="json-path">
      {nameUnseen(shown).map(({ text, name }, key) => (
        <span key={key} data-name={name ?? undefined}>
          {text}
        </span>
      ))}
    </p>
  )
}
