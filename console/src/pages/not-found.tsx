/** The page of a path that the console does not have. */
import { Link } from 'wouter'

export function NotFound() {
  return (
    <main className="page">
      <h1>Page not found</h1>
      <p>The console has no page at this address.</p>
      <Link href="/decisions">Go to the decisions</Link>
    </main>
  )
}
