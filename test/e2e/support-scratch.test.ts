/** Scratch. */
import { expect, test } from '@jest/globals'
import { createInstallation, clientOf } from '../support/installation.ts'
import { aDecisionBody } from '../support/builders.ts'
import { readAll } from '../support/kafka.ts'
import { readWireFormat, readAvro } from '../support/avro-reader.ts'
import { decisionContract } from '../../schemas/index.ts'

test('world', async () => {
  let t0 = performance.now()
  const lap = (what: string) => { console.log(what, Math.round(performance.now() - t0)); t0 = performance.now() }
  const sluice = await createInstallation()
  lap('installation')
  const tenant = await sluice.createTenant()
  lap('tenant')
  const [gateway, storage] = await Promise.all([sluice.start('gateway'), sluice.start('storage')])
  lap('processes')
  const client = clientOf(gateway, tenant)
  const id = await client.accept(aDecisionBody())
  lap('accept')
  const records = await readAll(sluice.topics.decisions)
  console.log(records[0], readAvro(decisionContract.text, readWireFormat(records[0]!.value!).payload))
  lap('readAll')
  console.log(await client.get(`/v1/decisions/${id}?wait=10`))
  lap('read')
  storage.freeze(); storage.thaw()
  expect(await gateway.stop()).toBe(0)
  lap('stop')
  await storage.kill()
})
