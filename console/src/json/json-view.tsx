/** Shows JSON text exactly as it was sent. */

interface JsonViewProps {
  /** The text, which is shown without being parsed. */
  readonly text: string
  /** The accessible name, for example `Input`. */
  readonly label: string
}

export function JsonView({ text, label }: JsonViewProps) {
  return (
    <pre className="json" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  )
}
