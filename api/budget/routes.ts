/** Routes for the evaluation budget: the spending limits for judges, and the amounts spent. */
import { usdOf } from '../../core/evaluation/usd.ts'
import { admin, session } from '../../http/typed-route.ts'
import { withOrganizationLock } from '../configuration/with-organization-lock.ts'
import { routesOf } from '../services.ts'
import type { OrganizationStore } from '../store.ts'
import { readLimits, readSpending, writeLimits } from './queries.ts'
import * as schemas from './schemas.ts'

const path = '/v1/evaluation/budget'
const route = routesOf('budget')
const answers = { 200: { description: 'The limits and the spending.', schema: schemas.budget } }

export const budgetRoutes = [
  route({
    method: 'get',
    path,
    who: session,
    id: 'showBudget',
    summary: 'Get the budget',
    description:
      'Returns what judges may cost and what they have cost. Days and months are in UTC.',
    answers,
    handle: async ({ principal, reply }, { store }) =>
      reply(200, await readBudget(store.of(principal.organization_id)))
  }),
  route({
    method: 'put',
    path,
    who: admin,
    id: 'changeBudget',
    summary: 'Set the budget',
    description:
      'Sets limits for the whole organization, in addition to the limits of its rules. When a ' +
      'limit is reached, runs are skipped or wait, as their rule says. A field that you leave ' +
      'out becomes null.',
    body: schemas.newLimits,
    answers,
    handle: async (call, { store }) => {
      await withOrganizationLock(store, call, async (edit) => {
        await writeLimits(edit, call.body)
        await edit.audit('budget.changed', edit.organizationId, call.body)
      })
      return call.reply(200, await readBudget(store.of(call.principal.organization_id)))
    }
  })
]

const evaluatorsShown = 200

async function readBudget(ours: OrganizationStore) {
  const { nano_usd_per_day, nano_usd_per_month, alert_at, day, month } = await readLimits(ours)
  const rows = await readSpending(ours)
  const sumOf = (name: 'nano_usd' | 'nano_usd_today' | 'unpriced_calls'): number =>
    rows.reduce((sum, row) => sum + row[name], 0)
  return {
    usd_per_day: nano_usd_per_day === null ? null : usdOf(nano_usd_per_day),
    usd_per_month: nano_usd_per_month === null ? null : usdOf(nano_usd_per_month),
    alert_at,
    spent_today: usdOf(sumOf('nano_usd_today')),
    spent_month: usdOf(sumOf('nano_usd')),
    unpriced_calls: sumOf('unpriced_calls'),
    by_evaluator: rows
      .slice(0, evaluatorsShown)
      .map(({ nano_usd, nano_usd_today: _, ...row }) => ({ ...row, usd: usdOf(nano_usd) })),
    reset_at: { day, month }
  }
}
