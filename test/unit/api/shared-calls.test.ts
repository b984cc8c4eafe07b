/** Expensive reads of one organization run a few at a time, and hold up no other organization. */
import { expect, test } from '@jest/globals'
import { expensiveReadsAtOnceMax, shareCalls } from '../../../api/shared-calls.ts'
import { jsonReply } from '../../../http/call.ts'
import { checkedCallOf, person, problemOf } from './fakes.ts'

type Shared = Parameters<typeof shareCalls>[0]

/** Handlers of every name; calls of readStats and listProfiles end when they are told to. */
function createHandlers() {
  const begun: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = (name: string) => async (call: { principal: { organization_id: string } }) => {
    begun.push(`${name} ${call.principal.organization_id}`)
    if (call.principal.organization_id === 'loud') await promise
    return jsonReply(200, '{}')
  }
  const known: Record<string, unknown> = {}
  const handlers = new Proxy(known, { get: (_, name) => slow(String(name)) })
  return { handlers: shareCalls(handlers as unknown as Shared), begun, end: resolve }
}

const callBy = (organization_id: string): never =>
  checkedCallOf({ ...person, organization_id }) as never

test('one organization asks for all it can, and another is answered', async () => {
  const { handlers, begun, end } = createHandlers()
  const loud = Array.from({ length: 40 }, (_, index) =>
    index % 2 === 0 ? handlers.readStats(callBy('loud')) : handlers.listProfiles(callBy('loud'))
  )
  expect((await handlers.readStats(callBy('quiet'))).status).toBe(200)
  expect(begun).toEqual([
    ...['readStats loud', 'listProfiles loud'].slice(0, expensiveReadsAtOnceMax),
    'readStats quiet'
  ])
  end()
  const answers = await Promise.all(loud)
  expect(answers.every(({ status }) => status === 200)).toBe(true)
})

test('what an organization asks for beyond its line is rejected at once', async () => {
  const { handlers, end } = createHandlers()
  const taken = Array.from({ length: 102 }, () => handlers.readStats(callBy('loud')))
  expect((await problemOf(handlers.readStats(callBy('loud')))).code).toBe('overloaded')
  end()
  await Promise.all(taken)
})

test('calls about accounts have a limit of their own', async () => {
  const { handlers, begun, end } = createHandlers()
  const loud = Array.from({ length: 10 }, () => handlers.changeMe(callBy('loud')))
  expect((await handlers.showMe(callBy('quiet'))).status).toBe(200)
  expect(begun).toEqual(['changeMe loud', 'changeMe loud', 'showMe quiet'])
  end()
  await Promise.all(loud)
})
