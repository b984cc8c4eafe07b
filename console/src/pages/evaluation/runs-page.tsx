/** The runs of evaluators, by status and reason. The filters are in the URL. */
import { Link } from 'wouter'
import type { runPage } from '../../../../api/results/schemas.ts'
import { runReasons } from '../../../../core/evaluation/status-reason.ts'
import { usePages } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { explain } from '../../decision/explain.ts'
import { visible } from '../../text/visible.ts'
import type { TableColumn } from '../../ui/data-table.tsx'
import { FilterBar, useFilters } from '../../ui/filter-bar.tsx'
import { JsonField } from '../../ui/form.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { memberColumns, Value } from '../../ui/members.tsx'
import { Pill } from '../../ui/pill.tsx'
import { RequestButton } from '../../ui/request-button.tsx'
import { ranges } from '../decisions/use-list-state.ts'
import { evaluatorsPath } from './evaluator-button.tsx'
import type { EvaluatorRow } from './evaluator-button.tsx'
import { rulesPath } from './rules-page.tsx'
import type { RuleBody } from './rules-page.tsx'
import { ListPage } from './list-page.tsx'

type Run = WireOf<typeof runPage>['data'][number]
const path = '/v1/evaluation/runs'
const names = ['status', 'status_reason', 'rule_id', 'evaluator_id']
const replayed = ['failed', 'expired', 'skipped', 'canceled']
const statuses = ['succeeded', ...replayed, 'scheduled', 'running', 'retrying', 'blocked']
const reasons = ['budget_exhausted', 'disabled', ...runReasons]
const twice = (each: string) => [each, each] as const

const columns: readonly TableColumn<Run>[] = [
  { name: 'Time', cell: (run) => <Value value={run.evaluated_at ?? run.scheduled_at} /> },
  { name: 'Status', cell: ({ status }) => <Pill word={status} /> },
  { name: 'Reason', cell: ({ status, status_reason }) => explain(status_reason, status) },
  ...memberColumns<Run>('rule'),
  {
    name: 'Evaluator',
    cell: ({ evaluator, evaluator_version: version }) => `${visible(evaluator)} v${version ?? '?'}`
  },
  {
    name: 'Decision',
    cell: ({ decision_id: id }) => <Link href={`/decisions/${id}`}>{id.slice(-12)}</Link>
  },
  ...memberColumns<Run>('attempts', 'usd', 'error'),
  { name: 'Actions', cell: actionOf }
]

export function RunsPage() {
  const filters = useFilters(names)
  const [filter] = filters
  const rules = usePages<RuleBody>(`${rulesPath}?limit=200`).rows
  const evaluators = usePages<EvaluatorRow>(`${evaluatorsPath}?limit=200`).rows
  const choices = {
    status: [['', 'any status'], ...statuses.map(twice)],
    status_reason: [['', 'any reason'], ...reasons.map(twice)],
    rule_id: [['', 'any rule'], ...rules.map(({ rule_id, name }) => [rule_id, name] as const)],
    evaluator_id: [
      ['', 'any evaluator'],
      ...evaluators.map(({ evaluator_id, name }) => [evaluator_id, name] as const)
    ],
    from: Object.entries(ranges)
  } as const
  return (
    <ListPage
      title="Runs"
      path={`${path}?${new URLSearchParams(filter)}`}
      actions={<ReplayButton filter={filter} />}
      columns={columns}
      keyOf={({ run_id }: Run) => run_id}
    >
      <FilterBar {...{ filters, choices }} />
    </ListPage>
  )
}

/** Waiting runs and runs with a score are not replayed. */
function ReplayButton({ filter }: { readonly filter: Readonly<Record<string, string>> }) {
  const { status = '', ...others } = filter
  const value = { status: replayed.includes(status) ? [status] : ['failed'], ...others }
  const requestOf = (dry_run: boolean) => (values: FormValues) => {
    return { path: `${path}/replay`, body: { filter: values.json('filter'), dry_run } }
  }
  return (
    <RequestButton
      label="Replay"
      needs="member"
      isPrimary
      request={requestOf(false)}
      trial="Dry run"
      trialRequest={requestOf(true)}
      isTrialRequired
      staysOpen
    >
      <JsonField label="Filter (JSON)" name="filter" value={value} />
      Repeats each matching run once, with its evaluator version. Allowed values of status:{' '}
      {replayed.join(', ')}.
    </RequestButton>
  )
}

function actionOf({ run_id, evaluated_at, cancel_requested_at, superseded_by }: Run) {
  if (evaluated_at !== null) return superseded_by === null ? '' : 'replayed'
  if (cancel_requested_at !== null) return 'canceling'
  const cancel = () => ({ path: `${path}/${run_id}/cancel`, method: 'POST' as const })
  return (
    <RequestButton label="Cancel run" needs="member" request={cancel}>
      The result of a call in progress is discarded.
    </RequestButton>
  )
}
