/** The keys that work on every page, the sheet that lists all keys, and the palette. */
import { useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { isUuid } from '../text/is-uuid.ts'
import { KeysSwitch } from '../ui/appearance.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useKeys } from '../ui/use-keys.ts'
import { navigation } from './navigation.ts'

const keys: readonly (readonly [string, string])[] = [
  ['?', 'Show the keyboard shortcuts'],
  ['Ctrl K or ⌘ K', 'Go to a page, or to a decision by its id'],
  ['/', 'Edit the query'],
  ['j k', 'Move to the next or previous decision'],
  ['Enter', 'Open the decision'],
  ['o', 'Show or hide the decision next to the list'],
  ['m', 'Filter by a value of the decision, or copy it'],
  ['f', 'Show or hide the values next to the list'],
  ['y', 'Copy the link of the page'],
  ['c', 'Copy the id of the decision'],
  ['Esc', 'Close the open dialog or panel'],
  ...navigation.map(({ key, name }) => [`g ${key}`, `Go to ${name}`] as const)
]

export function Shortcuts() {
  const [open, setOpen] = useState<'sheet' | 'palette' | null>(null)
  const [message, setMessage] = useState('')
  const [path, navigate] = useLocation()
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || event.ctrlKey === event.metaKey) return
      event.preventDefault()
      setOpen('palette')
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const copy = (what: string, text: string | undefined): void => {
    if (text === undefined) return
    navigator.clipboard.writeText(text).then(
      () => setMessage(`${what} copied`),
      () => setMessage('The browser blocked copying')
    )
  }
  const pages = navigation.map((page) => [`g ${page.key}`, () => navigate(page.path)] as const)
  useKeys({
    '?': () => setOpen('sheet'),
    y: () => copy('Link', location.href),
    c: () => copy('Id', shownIdOf(path)),
    ...Object.fromEntries(pages)
  })
  const onClose = (): void => setOpen(null)
  return (
    <>
      <p role="status" className="quiet">
        {message}
      </p>
      {open === 'sheet' && <KeySheet onClose={onClose} />}
      {open === 'palette' && <Palette onClose={onClose} />}
    </>
  )
}

/** Returns the id of the decision that the page shows, or of the active row. */
function shownIdOf(path: string): string | undefined {
  const peek = new URLSearchParams(location.search).get('peek')
  const row = document.querySelector<HTMLElement>('[role=row][data-id][aria-selected=true]')
  return [path.split('/')[2], peek, row?.dataset['id']].find((id) => isUuid(id ?? '')) ?? undefined
}

interface OverlayProps {
  readonly onClose: () => void
}

export function KeySheet({ onClose }: OverlayProps) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="facts">
        {keys.map(([key, action]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{action}</dd>
          </div>
        ))}
      </dl>
      <KeysSwitch />
      <button type="button" onClick={onClose}>
        Close
      </button>
    </Dialog>
  )
}

function Palette({ onClose }: OverlayProps) {
  const [text, setText] = useState('')
  const [, navigate] = useLocation()
  const wanted = text.trim().toLowerCase()
  const found = isUuid(wanted)
    ? [{ path: `/decisions/${wanted}`, name: `Open decision ${wanted}` }]
    : navigation.filter(({ name }) => name.toLowerCase().includes(wanted))
  const go = (path: string | undefined): void => {
    if (path === undefined) return
    onClose()
    navigate(path)
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          go(found[0]?.path)
        }}
      >
        <input
          aria-label="Page or decision id"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {found.map(({ path, name }) => (
          <button key={path} type="button" onClick={() => go(path)}>
            {name}
          </button>
        ))}
        {found.length === 0 && <p>This is neither the name of a page nor the id of a decision.</p>}
      </form>
    </Dialog>
  )
}
