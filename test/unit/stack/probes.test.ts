/** Tests the probes with small servers that respond like the services. */
import { afterEach, expect, test } from '@jest/globals'
import { createServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { kafkaAnswers, postgresAnswers, redisAnswers } from '../../../stack/probes.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Starts a server that responds to the first bytes of every connection. */
async function aServer(answer: (question: Buffer) => Buffer | string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('data', (question: Buffer) => socket.end(answer(question)))
  })
  servers.push(server)
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  return (server.address() as AddressInfo).port
}

test('a broker is ready if it returns the correlation id without an error', async () => {
  const port = await aServer((question) => {
    const answer = Buffer.alloc(10)
    answer.writeInt32BE(6, 0)
    question.copy(answer, 4, 8, 12)
    return answer
  })
  expect(await kafkaAnswers('127.0.0.1', port)).toBe(true)
})

test.each([
  ['+OK\r\n+PONG\r\n', true],
  ['+OK\r\n-LOADING x\r\n', false],
  ['-WRONGPASS x\r\n-NOAUTH x\r\n', false]
])('Redis is ready if it accepts the password and answers PONG: %j', async (answer, isReady) => {
  const asked: string[] = []
  const port = await aServer((question) => {
    asked.push(String(question))
    return answer
  })
  expect(await redisAnswers('127.0.0.1', port, 'secret')).toBe(isReady)
  expect(asked).toEqual(['AUTH secret\r\nPING\r\n'])
})

test('Postgres is ready if it asks for authentication, but not while it starts up', async () => {
  const asks = await aServer(() => Buffer.from('R\0\0\0\x0c\0\0\0\x0a'))
  const starts = await aServer(() => 'E\0\0\0\x20SFATAL\0C57P03\0Mstarting up\0\0')
  expect(await postgresAnswers('127.0.0.1', asks)).toBe(true)
  expect(await postgresAnswers('127.0.0.1', starts)).toBe(false)
})

test('a closed connection is an error', async () => {
  const port = await aServer(() => '')
  await expect(redisAnswers('127.0.0.1', port, 'secret')).rejects.toThrow(/closed/)
})
