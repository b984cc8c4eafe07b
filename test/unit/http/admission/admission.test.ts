/** Tests which requests admission control admits, queues and rejects. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from '@jest/globals'
import { createAdmission } from '../../../../http/admission/admission.ts'
import type { AdmissionOptions } from '../../../../http/admission/admission.ts'
import { waitUntil } from '../../../support/wait-until.ts'

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const from = (remoteAddress: string, authorization?: string) =>
  ({ socket: { remoteAddress }, headers: { authorization } }) as Partial<IncomingMessage>
const caller = from('192.0.2.1', 'Bearer made up')
const other = from('192.0.2.1', 'Bearer verified')
const callers = {
  organizationOf: (authorization: string | undefined) =>
    authorization === 'Bearer verified' ? 'an organization' : undefined
}

/** Creates an admission controller whose clock advances by one millisecond per served request. */
function scene(options: Partial<AdmissionOptions> = {}) {
  let clock = 1000
  const served: number[] = []
  const now = (): number => clock
  const admission = createAdmission({ requestsMax: 1000, sliceMs: 3, now, callers, ...options })
  const come = (name: number, request: Partial<IncomingMessage> = {}) =>
    admission.admit({ ...caller, ...request } as IncomingMessage, {} as ServerResponse, () => {
      served.push(name)
      clock += 1
    })
  return { admission, come, served }
}

test('serves requests at once within a time slice and queues the others', async () => {
  const { admission, come, served } = scene()
  for (let name = 1; name <= 10; name++) expect(come(name)).toBeNull()
  expect([served, admission.inProgress()]).toEqual([[1, 2, 3], 10])
  await waitUntil('all are served', () => served.length === 10)
})

test('rejects requests beyond the number in progress, until one has left', () => {
  const { admission, come, served } = scene({ requestsMax: 2 })
  expect([come(1), come(2)]).toEqual([null, null])
  expect(come(3)).toEqual({ reason: 'requests', retryAfterSeconds: 1, pauseMs: 0 })
  admission.leave()
  expect(come(4)).toBeNull()
  expect(served).toEqual([1, 2, 4])
})

test('rejects new requests while a long queue is too slow', async () => {
  const { come, served } = scene({ waitMsMax: 50 })
  for (let name = 1; name <= 500; name++) expect(come(name)).toBeNull()
  while (served.length < 150) await nextTurn()
  expect(come(501)).toEqual({ reason: 'wait', retryAfterSeconds: 1, pauseMs: 0 })
  await waitUntil('the queue is short', () => served.length === 500)
  expect(come(502)).toBeNull()
})

test('a short queue may be slower, as with batches', async () => {
  const { come, served } = scene({ waitMsMax: 50 })
  for (let name = 1; name <= 110; name++) expect(come(name)).toBeNull()
  while (served.length < 100) await nextTurn()
  expect(come(111)).toBeNull()
})

test('does not serve or count a queued request whose caller has disconnected', async () => {
  const { admission, come, served } = scene()
  for (let name = 1; name <= 5; name++) come(name, { destroyed: name > 3 })
  await waitUntil('the queue is empty', () => admission.inProgress() === 3)
  expect(served).toEqual([1, 2, 3])
})

test.each([
  ['authorization', other],
  ['x-api-key', { ...caller, headers: { 'x-api-key': 'verified' } }]
])('serves a new caller with %s next, before a long queue', async (_header, newCaller) => {
  const { come, served } = scene({ waitMsMax: 50 })
  for (let name = 1; name <= 500; name++) come(name)
  while (served.length < 150) await nextTurn()
  expect(come(501)).toMatchObject({ reason: 'wait' })
  expect(come(502, newCaller)).toBeNull()
  while (!served.includes(502)) await nextTurn()
  expect(served.indexOf(502)).toBeLessThan(160)
  await waitUntil('all are served', () => served.length === 501)
})

test('treats unverified credentials of one network as one caller', async () => {
  const { come, served } = scene({ waitMsMax: 50 })
  for (let name = 1; name <= 500; name++) come(name, from('192.0.2.1', `Bearer ${name}`))
  while (served.length < 150) await nextTurn()
  expect(come(501, from('192.0.2.1', 'Bearer new'))).toMatchObject({ reason: 'wait' })
  expect(come(502, from('192.0.2.2', 'Bearer new'))).toBeNull()
  await waitUntil('all are served', () => served.length === 501)
})

test('ends a slow body to make room for a new request', () => {
  let slow = 1
  const { come } = scene({ requestsMax: 2, makeRoom: () => slow-- > 0 })
  expect([come(1), come(2), come(3)]).toEqual([null, null, null])
  expect(come(4)).toMatchObject({ reason: 'requests' })
})
