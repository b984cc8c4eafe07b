/** One payload of a decision, exactly as it was sent. */
import { JsonView } from '../../json/json-view.tsx'
import { bytesOf, formatBytes } from '../../text/format.ts'
import type { PayloadName } from '../../decision/decision-text.ts'
import { CopyButton } from '../../ui/copy-button.tsx'

interface PayloadProps {
  readonly name: PayloadName
  /** JSON text; `null` if metadata was not sent. */
  readonly text: string
}

const exactness = {
  input: 'Exactly as sent',
  output: 'The same text as sent; escapes may be written differently',
  metadata: 'Exactly as sent'
} as const

export function Payload({ name, text }: PayloadProps) {
  const title = name.charAt(0).toUpperCase() + name.slice(1)
  const titleId = `payload-${name}`
  if (name === 'metadata' && text === 'null') return <p className="quiet">Metadata was not sent.</p>
  return (
    <section className="payload" aria-labelledby={titleId}>
      <h2 id={titleId}>{title}</h2>
      <span className="quiet">
        {exactness[name]} · {formatBytes(bytesOf(text))}
      </span>
      <CopyButton text={text} label={`Copy ${name}`} />
      <JsonView text={text} label={title} />
    </section>
  )
}
