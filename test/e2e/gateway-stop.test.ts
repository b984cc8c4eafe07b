/** SIGTERM under load: what was taken is finished, what was acknowledged is in the log. */
import { expect, test } from '@jest/globals'
import { startCallers } from '../support/callers.ts'
import { createInstallation } from '../support/installation.ts'
import { readAll } from '../support/kafka.ts'
import { waitUntil } from '../support/wait-until.ts'

const count = 16
/** Answers seen before the signal, so that it falls into steady traffic. */
const answersBefore = 300

test('a gateway told to stop under load answers what it took and loses nothing', async () => {
  const sluice = await createInstallation()
  const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  const gateway = await sluice.start('gateway')
  const callers = startCallers({ url: gateway.url, apiKey: tenant.api_key }, count)
  await waitUntil('traffic is steady', () => callers.acknowledged().length >= answersBefore)
  expect(await gateway.stop()).toBe(0)
  await callers.stop()

  const acknowledged = callers.acknowledged()
  expect([...callers.statuses().keys()]).toEqual([202])
  expect(callers.ledgers.map(({ broken }) => broken)).toEqual(Array(count).fill(0))
  const records = await readAll(sluice.topics.decisions)
  const found = new Set(records.map(({ headers }) => headers['decision_id']))
  expect(acknowledged.filter((id) => !found.has(id))).toEqual([])
  expect(acknowledged.length).toBeGreaterThan(answersBefore)
})
