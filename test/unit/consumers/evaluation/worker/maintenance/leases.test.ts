/** Tests that leases about to expire are renewed before this process takes further runs. */
import { expect, test } from '@jest/globals'
import { createLeases } from '../../../../../../consumers/evaluation/worker/maintenance/leases.ts'
import type { ClaimedRun } from '../../../../../../consumers/evaluation/worker/pending-run.ts'
import { createLogger } from '../../../../../../platform/telemetry/logger.ts'
import { waitUntil } from '../../../../../support/wait-until.ts'

const claimed = {
  run: { organization_id: 'o', decision_id: 'd', run_id: 'r' },
  token: 'token'
} as unknown as ClaimedRun

/** Creates leases on a fake database that rejects all statements while it is unavailable. */
function onFakeDatabase(leaseMs: number) {
  const database = { isUnavailable: false, renewals: 0 }
  const leases = createLeases({
    postgres: {
      query: () => {
        if (database.isUnavailable) return Promise.reject(new Error('unavailable'))
        database.renewals += 1
        return Promise.resolve([])
      }
    },
    logger: createLogger({ level: 'silent', process: 'test' }),
    leaseMs
  })
  leases.hold(claimed)
  return { database, leases }
}

test('renews leases that are about to expire before it returns', async () => {
  const { database, leases } = onFakeDatabase(300)
  database.isUnavailable = true
  const needsRenewal = () =>
    leases.refresh().then(
      () => false,
      () => true
    )
  await waitUntil('the leases are about to expire', needsRenewal)
  database.isUnavailable = false
  await leases.refresh()
  expect(database.renewals).toBeGreaterThan(0)
  await leases.stop()
})

test('does not renew leases that are fresh', async () => {
  const { database, leases } = onFakeDatabase(600_000)
  await leases.refresh()
  expect(database.renewals).toBe(0)
  await leases.stop()
})
