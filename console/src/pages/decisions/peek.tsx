/** A panel next to the list that shows one decision; the list stays usable. */
import { Link } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { DecisionView } from '../decision/decision-view.tsx'

interface PeekProps {
  readonly id: string
  readonly onClose: () => void
}

export function Peek({ id, onClose }: PeekProps) {
  const search = useSearch()
  return (
    <aside className="peek" aria-label="Decision">
      <p className="peek-head">
        <Link href={`/decisions/${encodeURIComponent(id)}${search}`}>Open</Link>
        <button type="button" className="small" onClick={onClose}>
          Close
        </button>
      </p>
      <DecisionView id={id} />
    </aside>
  )
}
