/** The pages of evaluation with links between them. They are loaded when the first is opened. */
import { Tabs } from '../../ui/nav-link.tsx'
import { NotFound } from '../not-found.tsx'
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
      <Tabs label="Evaluation" names={Object.keys(pages)} />
      {isOne ? <EvaluatorPage key={id} id={id} /> : <Found />}
    </>
  )
}
