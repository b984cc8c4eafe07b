/** The viewer of one text: toolbar, rows and the path of the selected row. */
import { useRef } from 'react'
import type { TextIndex } from './index-text.ts'
import { pointerAt } from './json-path.ts'
import { JsonRows } from './json-rows.tsx'
import { JsonToolbar } from './json-toolbar.tsx'
import { nameUnseen } from './named-characters.ts'
import { useColumns } from './use-columns.ts'
import { useFind } from './use-find.ts'
import { useRows } from './use-rows.ts'
import { useTextIndex } from './use-text-index.ts'

interface TextViewerProps {
  readonly text: string
  readonly label: string
  readonly isRaw: boolean
  readonly setRaw: (isRaw: boolean) => void
}

export function TextViewer({ text, label, isRaw, setRaw }: TextViewerProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const index = useTextIndex({ text, isRaw, columns: useColumns(scroller) })
  const rows = useRows(index)
  const viewer = { isRaw, setRaw, index, rows, find: useFind(text, rows) }

  function onKeyDown(event: React.KeyboardEvent): void {
    const isFind = event.key === 'f' && (event.ctrlKey || event.metaKey)
    if (!isFind && (event.key !== '/' || event.target === input.current)) return
    event.preventDefault()
    event.stopPropagation()
    input.current?.select()
  }

  return (
    <div className="json-view" role="group" aria-label={label} onKeyDown={onKeyDown}>
      <JsonToolbar {...{ text, label, viewer, input }} onLeave={() => scroller.current?.focus()} />
      <JsonRows {...{ label, viewer, scroller }} />
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
  const note = isRaw ? 'Exactly as sent.' : 'Not JSON that can be folded: shown as text.'
  const path = index?.isJson === true ? pointerAt(index.lines, line) || 'Whole document' : note
  return (
    <p className="json-path">
      {nameUnseen(index === null ? 'Reading the text…' : path.slice(0, pathMax)).map(
        ({ text, name }, key) => (
          <span key={key} data-name={name ?? undefined}>
            {text}
          </span>
        )
      )}
    </p>
  )
}
