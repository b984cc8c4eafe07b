/** Returns the id of a request for its response and the logs: the id sent by the caller, or a new
 * one.
 */
import type { IncomingMessage } from 'node:http'
import type { Clock } from '../core/clock.ts'
import { uuidv7 } from '../core/ids/ids.ts'

const requestIdExpression = /^[A-Za-z0-9._-]{1,128}$/

export function requestIdOf(request: IncomingMessage, clock: Clock): string {
  const given = request.headers['x-request-id']
  if (typeof given === 'string' && requestIdExpression.test(given)) return given
  return uuidv7(clock.now())
}
