/** Copies a text to the clipboard, and says so. */
import { useEffect, useState } from 'react'

interface CopyButtonProps {
  /** A function computes a long text only when it is copied. */
  readonly text: string | (() => string)
  readonly label: string
}

const shownMs = 1500

export function CopyButton({ text, label }: CopyButtonProps) {
  const [result, setResult] = useState<string | null>(null)
  useEffect(() => {
    if (result === null) return
    const timer = setTimeout(() => setResult(null), shownMs)
    return () => clearTimeout(timer)
  }, [result])
  const copy = (): void => {
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => setResult('Copied'),
      () => setResult('The browser blocked copying')
    )
  }
  return (
    <button type="button" className="small" onClick={copy}>
      <span aria-live="polite">{result ?? label}</span>
    </button>
  )
}
