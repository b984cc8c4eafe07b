/** Shows a text exactly as it was sent: JSON with folding and colors, any other text as lines. */
import { useState } from 'react'
import { TextViewer } from './text-viewer.tsx'
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
