/** Tests that concurrent expensive reads of one organization are limited and do not delay others.
 */
import { expect, test } from '@jest/globals'
import { apiRoutes, createShares, expensiveReadsAtOnceMax } from '../../../api/routes.ts'
import type { ShareKind } from '../../../http/typed-route.ts'
import { jsonReply } from '../../../http/call.ts'
import { problemOf } from './fakes.ts'

/** Creates shared calls. Those of the organization `loud` wait until `end` is called. */
function createCalls(kind: ShareKind) {
  const shares = createShares()
  const begun: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const call = (name: string, organizationId: string) =>
    shares[kind](organizationId, async () => {
      begun.push(`${name} ${organizationId}`)
      if (organizationId === 'loud') await promise
      return jsonReply(200, '{}')
    })
  return { call, begun, end: resolve }
}

test('serves another organization while one makes all the calls it can', async () => {
  const { call, begun, end } = createCalls('expensive reads')
  const loud = Array.from({ length: 40 }, (_, index) =>
    call(index % 2 === 0 ? 'readStats' : 'listProfiles', 'loud')
  )
  expect((await call('readStats', 'quiet')).status).toBe(200)
  expect(begun).toEqual([
    ...['readStats loud', 'listProfiles loud'].slice(0, expensiveReadsAtOnceMax),
    'readStats quiet'
  ])
  end()
  const answers = await Promise.all(loud)
  expect(answers.every(({ status }) => status === 200)).toBe(true)
})

test('rejects calls of an organization beyond its queue at once', async () => {
  const { call, end } = createCalls('expensive reads')
  const taken = Array.from({ length: 102 }, () => call('readStats', 'loud'))
  expect((await problemOf(call('readStats', 'loud'))).code).toBe('overloaded')
  end()
  await Promise.all(taken)
})

test('limits account calls separately', async () => {
  const { call, begun, end } = createCalls('account calls')
  const loud = Array.from({ length: 10 }, () => call('changeMe', 'loud'))
  expect((await call('showMe', 'quiet')).status).toBe(200)
  expect(begun).toEqual(['changeMe loud', 'changeMe loud', 'showMe quiet'])
  end()
  await Promise.all(loud)
})

const shareOf = (id: string) =>
  apiRoutes.find(({ operation }) => operation.operation_id === id)?.share

test('limits replays together with the list of runs, because both scan all runs', () => {
  expect([shareOf('listRuns'), shareOf('replayRuns')]).toEqual(Array(2).fill('expensive reads'))
})

test('limits the ledger together with the outcomes, because both read many counters', () => {
  const shares = [shareOf('readIngestionOutcomes'), shareOf('readLedger')]
  expect(shares).toEqual(Array(2).fill('expensive reads'))
})
