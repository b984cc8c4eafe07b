/** The door through which a test freezes or ends a service. */
import { beforeAll, expect, test } from '@jest/globals'
import { onEnd } from '../../../support/cleanup.ts'
import { startControlServer } from '../../../support/runner/control-server.ts'

const calls: string[] = []
let url = ''

beforeAll(async () => {
  const server = await startControlServer({
    pause: (name) => Promise.resolve(void calls.push(`pause ${name}`)),
    resume: () => Promise.reject(new Error('it is gone')),
    kill: (name) => Promise.resolve(void calls.push(`kill ${name}`)),
    revive: (name) => Promise.resolve(void calls.push(`revive ${name}`))
  })
  onEnd(server.close)
  url = server.url
})

async function post(path: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}${path}`, { method: 'POST' })
  return { status: answer.status, text: await answer.text() }
}

test.each(['pause', 'kill', 'revive'])('passes %s on to the service', async (verb) => {
  expect(await post(`/redis/${verb}`)).toEqual({ status: 204, text: '' })
  expect(calls.at(-1)).toBe(`${verb} redis`)
})

test.each([
  ['/redis/resume', 'it is gone'],
  ['/mongo/pause', 'there is no service mongo'],
  ['/redis/stop', 'a service knows pause, resume, kill, revive, not stop']
])('answers %s with the reason', async (path, reason) => {
  const { status, text } = await post(path)
  expect(status).toBe(500)
  expect(text).toContain(reason)
})
