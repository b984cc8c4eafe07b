/** Opens the definition of a new evaluator or version, which can be tested before it is saved. */
import type { evaluator, testResults } from '../../../../api/evaluators/schemas.ts'
import type { WireOf } from '../../api/wire.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { JsonField } from '../../ui/form.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { memberColumns, Members } from '../../ui/members.tsx'
import { RequestButton } from '../../ui/request-button.tsx'

export const evaluatorsPath = '/v1/evaluation/evaluators'
export type EvaluatorRow = WireOf<typeof evaluator>
/** A test reads the newest decisions, as many as the API allows. */
const sample = { n: 20 } as const
const config = { check: 'length', max: 2000, unit: 'characters' }

/** Returns what a new version may change. */
export function definitionOf({ name, description, config, output, timeout_ms }: EvaluatorRow) {
  return { name, description, config, output, timeout_ms }
}

export function EvaluatorButton({ evaluator }: { readonly evaluator: EvaluatorRow | null }) {
  const isNew = evaluator === null
  const path = isNew ? evaluatorsPath : `${evaluatorsPath}/${evaluator.evaluator_id}`
  const testOf = (values: FormValues) => {
    const kind = isNew ? {} : { kind: evaluator.kind }
    const draft = { ...kind, ...values.json('definition') }
    return { path: `${evaluatorsPath}/test`, body: { evaluator: draft, sample } }
  }
  const example = { name: 'answers_briefly', kind: 'heuristic', config }
  return (
    <RequestButton
      label={isNew ? 'Create evaluator' : 'Create version'}
      needs="admin"
      isPrimary
      request={({ json }) => ({ path, method: isNew ? 'POST' : 'PATCH', body: json('definition') })}
      trial={`Test on the newest ${sample.n} decisions`}
      trialRequest={testOf}
      show={showTest}
    >
      <JsonField
        label="Definition (JSON)"
        name="definition"
        value={isNew ? example : definitionOf(evaluator)}
        hint="Testing or saving a judge calls its model, and the provider charges for it."
      />
    </RequestButton>
  )
}

type TestBody = WireOf<typeof testResults>
type Result = TestBody['results'][number]
const columns = memberColumns<Result>('decision_id', 'status', 'score', 'status_reason', 'error')

/** Shows the results of a test, each with the members of its score. */
function showTest(result: object) {
  const { results, usage } = result as TestBody
  const idOf = ({ decision_id }: Result): string => String(decision_id)
  return (
    <>
      <DataTable label="Results" columns={columns} rows={results} keyOf={idOf} />
      <Members of={usage} />
    </>
  )
}
