/** Tests that closing many sockets at once does not block the event loop, and that their problems
 * are created without a stack.
 */
import { PassThrough } from 'node:stream'
import { expect, test } from '@jest/globals'
import { refuseSocket } from '../../../../http/admission/refuse-socket.ts'
import { Problem } from '../../../../core/problem.ts'

const count = 100

/** Creates a socket that takes one millisecond, a whole time slice, to end. */
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

test('ends the sockets in as many time slices as they need', async () => {
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

test('creates problems without a stack, which would cost more than the response', () => {
  const problem = new Problem('malformed_request', { detail: 'x' })
  expect(problem.stack).not.toMatch(/\n\s+at /)
  expect(new Error('x').stack).toMatch(/\n\s+at /)
})
