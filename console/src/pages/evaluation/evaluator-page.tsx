/** The evaluators of the organization, and one of them with its versions and their differences. */
import { Link } from 'wouter'
import { usePages } from '../../api/use-api.ts'
import { visible } from '../../text/visible.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { memberColumns, Members } from '../../ui/members.tsx'
import { Page } from '../../ui/page.tsx'
import { RequestButton } from '../../ui/request-button.tsx'
import { Part } from '../compare/compare-page.tsx'
import { diffLines } from '../compare/diff-lines.ts'
import { definitionOf, EvaluatorButton, evaluatorsPath } from './evaluator-button.tsx'
import type { EvaluatorRow } from './evaluator-button.tsx'
import { ListPage } from './list-page.tsx'

/** A link may contain any text, which must not choose another path to read. */
const idPattern = /^[a-z][a-z0-9_-]*$/
const columns = [
  { name: 'Evaluator', cell: linkOf },
  ...memberColumns<EvaluatorRow>('kind', 'description', 'version', 'updated_at')
]

function linkOf({ evaluator_id, name }: EvaluatorRow) {
  return <Link href={`/evaluation/evaluators/${evaluator_id}`}>{visible(name)}</Link>
}

export function EvaluatorsPage() {
  return (
    <ListPage
      title="Evaluators"
      path={evaluatorsPath}
      actions={<EvaluatorButton evaluator={null} />}
      columns={columns}
      keyOf={({ evaluator_id }) => evaluator_id}
    />
  )
}

export function EvaluatorPage({ id }: { readonly id: string }) {
  const path = `${evaluatorsPath}/${idPattern.test(id) ? id : 'unknown'}`
  const versions = usePages<EvaluatorRow>(`${path}/versions?limit=200`)
  const [latest] = versions.rows
  return (
    <Page
      title={visible(latest?.name ?? 'Evaluator')}
      actions={latest?.built_in === false && actionsOf(latest, path)}
    >
      <Loaded query={versions} what="the evaluator">
        {() => (
          <>
            {latest && <Members of={factsOf(latest)} />}
            {versions.rows.map((row, index) => versionOf(row, versions.rows[index + 1]))}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function actionsOf(evaluator: EvaluatorRow, path: string) {
  return (
    <>
      <EvaluatorButton evaluator={evaluator} />
      <RequestButton
        label="Delete"
        of={visible(evaluator.name)}
        needs="admin"
        request={() => ({ path, method: 'DELETE' })}
      >
        The pending runs of the evaluator are canceled. Its scores are kept.
      </RequestButton>
    </>
  )
}

/** Shows how a version differs from the one before it, if there is one. */
function versionOf(shown: EvaluatorRow, before: EvaluatorRow | undefined) {
  const parts = before && diffLines(linesOf(before), linesOf(shown))
  return (
    <section key={shown.version}>
      <h2>Version {shown.version}</h2>
      <pre className="command diff versions">
        {parts?.map((part, index) => <Part key={index} {...part} />) ??
          linesOf(shown).map(visible).join('\n')}
      </pre>
    </section>
  )
}

/** The definition is shown on its own. */
function factsOf({ config: _, output: _output, ...facts }: EvaluatorRow) {
  return facts
}

function linesOf(evaluator: EvaluatorRow): string[] {
  return JSON.stringify(definitionOf(evaluator), null, 2).split('\n')
}
