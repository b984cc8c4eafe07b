/** The rules: which decisions each applies to, and how its runs of the last 24 hours ended. */
import type { summary } from '../../../../api/results/scores/schemas.ts'
import type { rule } from '../../../../api/rules/schemas.ts'
import { usePages, useRead } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { visible } from '../../text/visible.ts'
import { Field, JsonField } from '../../ui/form.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { QueryProblem } from '../../ui/loaded.tsx'
import { labelOf, memberColumns, Value } from '../../ui/members.tsx'
import { RequestButton } from '../../ui/request-button.tsx'
import { evaluatorsPath } from './evaluator-button.tsx'
import type { EvaluatorRow } from './evaluator-button.tsx'
import { ListPage } from './list-page.tsx'

export type RuleBody = WireOf<typeof rule>
export const rulesPath = '/v1/evaluation/rules'
const countsPath = '/v1/evaluation/scores/summary?group_by=rule_id&interval=none&from=-24h'
const ends = ['planned', 'scored', 'failed', 'skipped', 'expired', 'canceled', 'pending'] as const

export function RulesPage() {
  const summed = useRead<WireOf<typeof summary>>(countsPath, { pollMs: 10_000 })
  const { data } = summed
  const counts = new Map(data?.denominators.map((each) => [each.key['rule_id'], each]))
  const countColumns = ends.map((name) => {
    const countOf = ({ rule_id }: RuleBody) => data && (counts.get(rule_id)?.[`n_${name}`] ?? 0)
    const cell = (rule: RuleBody) => <Value value={countOf(rule)} />
    return { name: labelOf(name), isNumber: true, cell }
  })
  return (
    <ListPage
      title="Rules"
      path={rulesPath}
      actions={<RuleButton rule={null} />}
      columns={[...columns, ...countColumns, { name: 'Actions', cell: actionsOf }]}
      keyOf={({ rule_id }: RuleBody) => rule_id}
    >
      <QueryProblem query={summed} />
      <p className="quiet">
        Runs of the last 24 hours: planned = scored + failed + skipped + expired + canceled +
        pending. A replayed run counts once.
      </p>
    </ListPage>
  )
}

const columns = memberColumns<RuleBody>('name', 'enabled', 'match', 'sampling')

/** The built-in rule can only be enabled and disabled. */
function actionsOf(rule: RuleBody) {
  const path = `${rulesPath}/${rule.rule_id}`
  const isOn = rule.enabled
  const name = visible(rule.name)
  const toggle = () => ({ path, method: 'PATCH' as const, body: { enabled: !isOn } })
  const remove = () => ({ path, method: 'DELETE' as const })
  return (
    <div className="row-actions">
      <RequestButton label={isOn ? 'Disable' : 'Enable'} of={name} needs="admin" request={toggle}>
        {isOn
          ? 'The pending runs of the rule are canceled.'
          : 'The rule takes effect within seconds.'}
      </RequestButton>
      {!rule.built_in && <RuleButton rule={rule} />}
      {!rule.built_in && (
        <RequestButton label="Delete" of={name} needs="admin" request={remove}>
          The pending runs of the rule are canceled. Its scores are kept.
        </RequestButton>
      )}
    </div>
  )
}

const noTerms: Partial<RuleBody> = {
  match: {},
  sampling: { rate: 1 },
  budget: { usd_per_day: null }
}

/** Creates or changes a rule. It must be previewed before it can be saved. */
function RuleButton({ rule }: { readonly rule: RuleBody | null }) {
  const { match, sampling, budget, ttl_seconds, max_attempts } = rule ?? noTerms
  const terms = { match, sampling, budget, ttl_seconds, max_attempts }
  const pinned = new Map(rule?.evaluators.map((each) => [each.evaluator_id, each]))
  const { rows } = usePages<EvaluatorRow>(`${evaluatorsPath}?limit=200`)
  const bodyOf = (values: FormValues) => ({
    ...values.json('terms'),
    name: values.text('name'),
    evaluators: values.all('evaluators').map((id) => pinned.get(id) ?? { evaluator_id: id })
  })
  const path = rule === null ? rulesPath : `${rulesPath}/${rule.rule_id}`
  return (
    <RequestButton
      label={rule === null ? 'Create rule' : 'Change'}
      of={rule === null ? undefined : visible(rule.name)}
      needs="admin"
      isPrimary={rule === null}
      request={(values) => ({ path, method: rule ? 'PATCH' : 'POST', body: bodyOf(values) })}
      trial="Preview"
      trialRequest={(values) => ({ path: `${rulesPath}/preview`, body: bodyOf(values) })}
      isTrialRequired
    >
      <Field label="Name" name="name" required defaultValue={rule?.name} />
      <fieldset>
        <legend>Evaluators</legend>
        {rows.map(({ evaluator_id: id, name }) => (
          <label key={id}>
            <input type="checkbox" name="evaluators" value={id} defaultChecked={pinned.has(id)} />
            {visible(name)}
          </label>
        ))}
      </fieldset>
      <JsonField label="Terms (JSON)" name="terms" value={terms} />
      Preview the rule before you save it.
    </RequestButton>
  )
}
