/** Tests that concurrent callers share one connection attempt and its failure. */
import { expect, test } from '@jest/globals'
import { createConnectionTo } from '../../../../../platform/kafka/producer/kafka-connections.ts'
import type { BrokerAddress } from '../../../../../platform/kafka/producer/kafka-metadata.ts'

const [first, second] = [
  { host: 'a', port: 1 },
  { host: 'a', port: 2 }
]

function scene() {
  const state = { time: 0, isUp: false, asked: [] as number[] }
  const connect = ({ port }: BrokerAddress) => {
    state.asked.push(port)
    return state.isUp ? Promise.resolve(port) : Promise.reject(new Error(`${port} unreachable`))
  }
  return { state, connectionTo: createConnectionTo(connect, () => state.time) }
}

test('a failure is shared for a tenth of a second, per broker', async () => {
  const { state, connectionTo } = scene()
  for (const at of [0, 10, 99]) {
    state.time = at
    await expect(connectionTo(first)).rejects.toThrow('1 unreachable')
  }
  await expect(connectionTo(second)).rejects.toThrow('2 unreachable')
  expect(state.asked).toEqual([1, 2])
})

test('afterwards it is tried again, and an open connection is reused', async () => {
  const { state, connectionTo } = scene()
  await expect(connectionTo(first)).rejects.toThrow('1 unreachable')
  Object.assign(state, { time: 100, isUp: true })
  expect(await connectionTo(first)).toBe(1)
  state.isUp = false
  await expect(connectionTo(first)).rejects.toThrow('1 unreachable')
  expect(state.asked).toEqual([1, 1, 1])
})
