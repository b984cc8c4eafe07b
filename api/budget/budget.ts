/** GET and PUT of /v1/evaluation/budget: what judges may cost, and what they did. */
import { nanoUsdOf, usdOf } from '../../core/evaluation/usd.ts'
import { jsonReply } from '../../http/call.ts'
import type { Reply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { takeTurn } from '../configuration/take-turn.ts'
import type { OrganizationStore, Store } from '../store.ts'
import { readSpending } from './spending.ts'

interface Limits {
  readonly nano_usd_per_day: number | null
  readonly nano_usd_per_month: number | null
  readonly alert_at: number | null
}

const noLimits: Limits = { nano_usd_per_day: null, nano_usd_per_month: null, alert_at: null }

interface BudgetBody {
  readonly usd_per_day?: number | null
  readonly usd_per_month?: number | null
  readonly alert_at?: number | null
}

export function createBudget({ store }: { readonly store: Store }) {
  const showBudget: SessionHandle = ({ principal }) => replyOf(store.of(principal.organization_id))

  const changeBudget: SessionHandle = async (call) => {
    const { usd_per_day, usd_per_month, alert_at } = call.body as BudgetBody
    await takeTurn(store, call, async (edit) => {
      await edit.query(
        `insert into evaluation_budgets (organization_id, nano_usd_per_day, nano_usd_per_month,
                                         alert_at)
         values ($1, $2, $3, $4)
         on conflict (organization_id) do update
            set nano_usd_per_day = excluded.nano_usd_per_day,
                nano_usd_per_month = excluded.nano_usd_per_month,
                alert_at = excluded.alert_at, updated_at = now()`,
        [edit.organizationId, nanoOrNull(usd_per_day), nanoOrNull(usd_per_month), alert_at ?? null]
      )
      await edit.audit('budget.changed', edit.organizationId, {
        usd_per_day,
        usd_per_month,
        alert_at
      })
    })
    return replyOf(store.of(call.principal.organization_id))
  }

  return { showBudget, changeBudget }
}

async function replyOf(ours: OrganizationStore): Promise<Reply> {
  const limits = await readLimits(ours)
  const spending = await readSpending(ours)
  const body = {
    usd_per_day: usdOrNull(limits.nano_usd_per_day),
    usd_per_month: usdOrNull(limits.nano_usd_per_month),
    alert_at: limits.alert_at,
    ...spending
  }
  return jsonReply(200, JSON.stringify(body))
}

async function readLimits(ours: OrganizationStore): Promise<Limits> {
  const [limits] = await ours.query<Limits & Record<string, unknown>>(
    `select nano_usd_per_day, nano_usd_per_month, alert_at
       from evaluation_budgets where organization_id = $1`,
    [ours.organizationId]
  )
  return limits ?? noLimits
}

function nanoOrNull(usd: number | null | undefined): number | null {
  return usd === null || usd === undefined ? null : nanoUsdOf(usd)
}

function usdOrNull(nanoUsd: number | null): number | null {
  return nanoUsd === null ? null : usdOf(nanoUsd)
}
