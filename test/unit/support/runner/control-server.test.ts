/** Tests the control server that suspends and kills services. */
import { beforeAll, expect, test } from '@jest/globals'
import { onEnd } from '../../../support/cleanup.ts'
import { startControlServer } from '../../../support/runner/control-server.ts'

const calls: string[] = []
let url = ''

beforeAll(async () => {
  const server = await startControlServer({
    pause: (name) => Promise.resolve(void calls.push(`pause ${name}`)),
    resume: () => Promise.reject(new Error('the container is gone')),
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

test.each(['pause', 'kill', 'revive'])('forwards %s to the service', async (verb) => {
  expect(await post(`/redis/${verb}`)).toEqual({ status: 204, text: '' })
  expect(calls.at(-1)).toBe(`${verb} redis`)
})

test.each([
  ['/redis/resume', 'the container is gone'],
  ['/mongo/pause', 'there is no service mongo'],
  ['/redis/stop', 'unknown verb stop; use one of pause, resume, kill, revive']
])('returns the error of %s', async (path, reason) => {
  const { status, text } = await post(path)
  expect(status).toBe(500)
  expect(text).toContain(reason)
})
