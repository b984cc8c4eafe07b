/** Whether every planned run is accounted for, what waits, and what judges cost of the budget. */
import type { budget } from '../../../../api/budget/schemas.ts'
import type { health } from '../../../../api/results/schemas.ts'
import { useRead } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { Field } from '../../ui/form.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Members } from '../../ui/members.tsx'
import { Page } from '../../ui/page.tsx'
import { RequestButton } from '../../ui/request-button.tsx'

type Budget = WireOf<typeof budget>
const path = '/v1/evaluation/budget'
const pollMs = 10_000

export function HealthPage() {
  const spending = useRead<Budget>(path, { pollMs })
  const state = useRead<WireOf<typeof health>>('/v1/evaluation/health', { pollMs })
  const { data } = spending
  return (
    <Page title="Health and budget" actions={data && <BudgetButton {...data} />}>
      <Loaded query={spending} what="the budget">
        {({ by_evaluator: _, ...amounts }) => (
          <>
            {meterOf('Spent today', amounts.spent_today, amounts.usd_per_day)}
            {meterOf('Spent this month', amounts.spent_month, amounts.usd_per_month)}
            <Members of={amounts} />
          </>
        )}
      </Loaded>
      <Loaded query={state} what="the health of evaluation">
        {({
          conservation: { accounted, ...sums },
          by_status,
          circuits: _,
          spend_today: __,
          ...now
        }) => (
          <>
            <h2>Planned runs</h2>
            <Members of={{ ...sums, ...accounted }} />
            <h2>Now</h2>
            <Members of={{ ...now, ...by_status }} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Shows nothing without a limit. */
function meterOf(label: string, used: number, limit: number | null) {
  if (limit === null) return null
  return (
    <label>
      {label}: {used} of {limit} US dollars{used >= limit && ' (limit reached)'}
      <meter max={limit || 1} value={limit ? used : 1} />
    </label>
  )
}

function BudgetButton({ usd_per_day: day, usd_per_month: month, alert_at }: Budget) {
  const bodyOf = ({ numberOrNull }: FormValues) => {
    const [usd_per_day, usd_per_month] = [
      numberOrNull('usd_per_day'),
      numberOrNull('usd_per_month')
    ]
    // A member that is left out would become null.
    return { usd_per_day, usd_per_month, alert_at }
  }
  const request = (values: FormValues) => ({ path, method: 'PUT' as const, body: bodyOf(values) })
  return (
    <RequestButton label="Change budget" needs="admin" isPrimary request={request}>
      <Field label="US dollars per day" name="usd_per_day" defaultValue={day ?? ''} />
      <Field label="US dollars per month" name="usd_per_month" defaultValue={month ?? ''} />
      Leave empty for no limit. Days and months are in UTC.
    </RequestButton>
  )
}
