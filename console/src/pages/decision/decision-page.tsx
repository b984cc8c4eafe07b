/** The page of one decision. */
import { Link } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'
import { DecisionView } from './decision-view.tsx'

export function DecisionPage({ id }: { readonly id: string }) {
  // The link back keeps the query of the list.
  const search = useSearch()
  return (
    <main className="page">
      <nav aria-label="Breadcrumb">
        <Link href={`/decisions${search}`}>Decisions</Link>
      </nav>
      <h1>Decision</h1>
      <DecisionView id={id} />
    </main>
  )
}
