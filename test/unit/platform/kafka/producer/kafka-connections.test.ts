/** Connections to brokers: one failure is enough for all who ask in the same moment. */
import { expect, test } from '@jest/globals'
import { createConnectionTo } from '../../../../../platform/kafka/producer/kafka-connections.ts'
import type { KnownBroker } from '../../../../../platform/kafka/producer/kafka-metadata.ts'

const [first, second] = [
  { host: 'a', port: 1 },
  { host: 'a', port: 2 }
]

function scene() {
  const state = { time: 0, isUp: false, asked: [] as number[] }
  const connect = ({ port }: KnownBroker) => {
    state.asked.push(port)
    return state.isUp ? Promise.resolve(port) : Promise.reject(new Error(`${port} is away`))
  }
  return { state, connectionTo: createConnectionTo(connect, () => state.time) }
}

test('a failure is told to all who ask in a tenth of a second, by broker', async () => {
  const { state, connectionTo } = scene()
  for (const at of [0, 10, 99]) {
    state.time = at
    await expect(connectionTo(first)).rejects.toThrow('1 is away')
  }
  await expect(connectionTo(second)).rejects.toThrow('2 is away')
  expect(state.asked).toEqual([1, 2])
})

test('after that it is tried again, and what is there is had at once from then on', async () => {
  const { state, connectionTo } = scene()
  await expect(connectionTo(first)).rejects.toThrow('1 is away')
  Object.assign(state, { time: 100, isUp: true })
  expect(await connectionTo(first)).toBe(1)
  state.isUp = false
  await expect(connectionTo(first)).rejects.toThrow('1 is away')
  expect(state.asked).toEqual([1, 1, 1])
})
