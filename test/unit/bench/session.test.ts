/** The rates of a comparison. */
import { expect, test } from '@jest/globals'
import type { Measurement } from '../../../bench/row.ts'
import { broker } from '../../../bench/rows/broker.ts'
import { floor } from '../../../bench/rows/floor.ts'
import { gateway, gatewayBatch } from '../../../bench/rows/gateway.ts'
import { rateOf } from '../../../bench/session.ts'

const measured = [
  { row: 'gateway', drive: 'full speed', requests_per_second: 3000 }
] as unknown as Measurement[]

test('full speed has no rate', () => {
  expect(rateOf({ row: floor, name: 'full speed', rate: 2000, measured })).toBe(0)
})

test('rows with batches get five times the decisions in fewer requests', () => {
  expect(rateOf({ row: floor, name: 'equal rate', rate: 2000, measured })).toBe(2000)
  expect(rateOf({ row: gatewayBatch, name: 'equal rate', rate: 2000, measured })).toBe(100)
})

test('half load is half of the own full speed, and for the broker half of the gateway’s', () => {
  expect(rateOf({ row: gateway, name: 'half load', rate: 2000, measured })).toBe(1500)
  expect(rateOf({ row: broker, name: 'half load', rate: 2000, measured })).toBe(1500)
  expect(rateOf({ row: gatewayBatch, name: 'half load', rate: 2000, measured })).toBeNull()
})
