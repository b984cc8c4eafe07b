/** The toolbar above a text: view, find, fold, copy and download. */
import type { KeyboardEvent, RefObject } from 'react'
import { saveFile } from '../text/save-file.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import type { useFind } from './find.ts'
import { foldAll } from './fold.ts'
import type { TextIndex } from './index-text.ts'
import { pointerAt, valueAt } from './json-path.ts'
import type { Rows } from './use-rows.ts'

interface JsonToolbarProps {
  readonly label: string
  readonly text: string
  readonly isRaw: boolean
  readonly setRaw: (isRaw: boolean) => void
  readonly index: TextIndex | null
  readonly rows: Rows
  readonly find: ReturnType<typeof useFind>
  readonly input: RefObject<HTMLInputElement | null>
  /** Moves the focus back to the rows. */
  readonly onLeave: () => void
}

export function JsonToolbar(props: JsonToolbarProps) {
  const { text, label, isRaw, setRaw, index, rows } = props
  return (
    <div className="json-toolbar" role="group" aria-label={`${label}, tools`}>
      <button type="button" aria-pressed={!isRaw} onClick={() => setRaw(false)}>
        Pretty
      </button>
      <button type="button" aria-pressed={isRaw} onClick={() => setRaw(true)}>
        Raw
      </button>
      <FindBar {...props} />
      {index?.isJson === true && <TreeTools {...{ index, rows }} />}
      <button type="button" onClick={() => download(text, label)}>
        Download
      </button>
    </div>
  )
}

function FindBar({ label, find, input, onLeave }: JsonToolbarProps) {
  const { phrase, found, search, step } = find
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
}

function TreeTools({ index: { lines }, rows: { folds, setFolds, line } }: TreeToolsProps) {
  return (
    <>
      <button type="button" onClick={() => setFolds(folds.size > 0 ? new Set() : foldAll(lines))}>
        {folds.size > 0 ? 'Unfold all' : 'Fold all'}
      </button>
      <CopyButton text={() => valueAt(lines, line)} label="Copy value" />
      <CopyButton text={() => pointerAt(lines, line)} label="Copy pointer" />
    </>
  )
}

/** Saves the text as UTF-8, under a name of letters, digits and hyphens. */
function download(text: string, label: string): void {
  const ending = /^\s*[[{"]/.test(text) ? 'json' : 'txt'
  const name = `${label.replaceAll(/\W+/g, '-').toLowerCase()}.${ending}`
  saveFile(new Blob([text], { type: 'text/plain;charset=utf-8' }), name)
}
