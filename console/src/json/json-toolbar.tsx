/** The toolbar above a text: view, find, fold, copy and download. */
import { useState } from 'react'
import type { KeyboardEvent, RefObject } from 'react'
import { foldAll } from './fold.ts'
import type { TextIndex } from './index-text.ts'
import { pointerAt, valueAt } from './json-path.ts'
import { copyText, downloadText } from './save-text.ts'
import type { Rows } from './use-rows.ts'
import type { Viewer } from './viewer.ts'

interface JsonToolbarProps {
  readonly label: string
  readonly text: string
  readonly viewer: Viewer
  readonly input: RefObject<HTMLInputElement | null>
  /** Moves the focus back to the rows. */
  readonly onLeave: () => void
}

export function JsonToolbar(props: JsonToolbarProps) {
  const { text, label, viewer } = props
  const { isRaw, setRaw, index } = viewer
  const [message, setMessage] = useState('')
  async function copy(name: string, copied: string): Promise<void> {
    setMessage((await copyText(copied)) ? `${name} copied` : 'The browser refused to copy.')
  }
  return (
    <div className="json-toolbar" role="group" aria-label={`${label}, tools`}>
      <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
        Pretty
      </button>
      <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
        Raw
      </button>
      <FindBar {...props} />
      {index?.isJson === true && <TreeTools {...{ ...viewer, index, copy }} />}
      <button type="button" onClick={() => downloadText(text, label)}>
        Download
      </button>
      <output>{message}</output>
    </div>
  )
}

function FindBar({ label, viewer, input, onLeave }: JsonToolbarProps) {
  const { phrase, found, search, step } = viewer.find
  const count = found.starts.length
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Enter') return step(event.shiftKey ? -1 : 1)
    search('')
    onLeave()
  }
  return (
    <>
      <input
        ref={input}
        type="search"
        aria-label={`Find in ${label}`}
        placeholder="Find in the raw text"
        value={phrase}
        onChange={(event) => search(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <output>
        {phrase !== '' && count === 0 && 'Not found'}
        {count > 0 &&
          `${(found.current + 1).toLocaleString('en')} of ${count.toLocaleString('en')}`}
        {found.isMore && '+'}
      </output>
      <button type="button" aria-label="Previous match" onClick={() => step(-1)}>
        ↑
      </button>
      <button type="button" aria-label="Next match" onClick={() => step(1)}>
        ↓
      </button>
    </>
  )
}

interface TreeToolsProps {
  readonly index: TextIndex
  readonly rows: Rows
  readonly copy: (name: string, copied: string) => Promise<void>
}

function TreeTools({ index: { lines }, rows, copy }: TreeToolsProps) {
  const { folds, setFolds, line } = rows
  return (
    <>
      <button type="button" onClick={() => setFolds(folds.size > 0 ? new Set() : foldAll(lines))}>
        {folds.size > 0 ? 'Unfold all' : 'Fold all'}
      </button>
      <button type="button" onClick={() => void copy('Value', valueAt(lines, line))}>
        Copy value
      </button>
      <button type="button" onClick={() => void copy('Pointer', pointerAt(lines, line))}>
        Copy pointer
      </button>
    </>
  )
}
