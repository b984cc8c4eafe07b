/** Thousands of callers that hang up at once: their sockets are closed in many turns. */
import { PassThrough } from 'node:stream'
import { expect, test } from '@jest/globals'
import { refuseSocket } from '../../../../http/admission/refuse-socket.ts'
import { Problem } from '../../../../core/problem.ts'

const count = 100

/** A socket whose end takes a millisecond, as long as a turn may last. */
function slowSocket(onEnd: () => void): PassThrough {
  const socket = new PassThrough()
  socket.end = () => {
    const endsAt = performance.now() + 1
    while (performance.now() < endsAt);
    onEnd()
    return socket
  }
  return socket
}

test('the sockets of one moment are ended in as many turns as they need', async () => {
  let ended = 0
  const wrong = Object.assign(new Error('ended'), { code: 'HPE_INVALID_EOF_STATE' })
  for (let made = 0; made < count; made++)
    refuseSocket(
      wrong,
      slowSocket(() => (ended += 1))
    )
  expect(ended).toBe(0)
  let turns = 0
  while (ended < count) {
    const before = ended
    await new Promise(setImmediate)
    turns += 1
    expect(ended - before).toBeLessThanOrEqual(1)
  }
  expect(turns).toBeGreaterThanOrEqual(count)
})

test('a refusal has no stack, which costs more than the refusal', () => {
  const problem = new Problem('malformed_request', { detail: 'x' })
  expect(problem.stack).not.toMatch(/\n\s+at /)
  expect(new Error('x').stack).toMatch(/\n\s+at /)
})
