/** The pages of evaluation with links between them. They are loaded when the first is opened. */
import { Link } from 'wouter'
import { NotFound } from '../not-found.tsx'
import { railLinkClass } from '../shell.tsx'
import { ConnectionsPage } from './connections-page.tsx'
import { EvaluatorPage, EvaluatorsPage } from './evaluator-page.tsx'
import { HealthPage } from './health-page.tsx'
import { RulesPage } from './rules-page.tsx'
import { RunsPage } from './runs-page.tsx'
import './evaluation.css'

const pages = {
  rules: RulesPage,
  evaluators: EvaluatorsPage,
  runs: RunsPage,
  connections: ConnectionsPage,
  health: HealthPage
}

export function EvaluationPages({ name, id }: { readonly name: string; readonly id?: string }) {
  const isOne = name === 'evaluators' && id !== undefined
  const Found = (id === undefined && new Map(Object.entries(pages)).get(name)) || NotFound
  return (
    <>
      <nav className="tabs" aria-label="Evaluation">
        {Object.keys(pages).map((each) => (
          <Link key={each} href={`/evaluation/${each}`} className={railLinkClass}>
            {each}
          </Link>
        ))}
      </nav>
      {isOne ? <EvaluatorPage key={id} id={id} /> : <Found />}
    </>
  )
}
