/** Tests the request rate for each load: full speed, equal rate and half load. */
import { expect, test } from '@jest/globals'
import type { Measurement } from '../../../bench/row.ts'
import { broker } from '../../../bench/rows/broker.ts'
import { floor } from '../../../bench/rows/floor.ts'
import { gateway, gatewayBatch } from '../../../bench/rows/gateway.ts'
import { rateOf } from '../../../bench/session.ts'

const measured = [
  { row: 'gateway', drive: 'full speed', requests_per_second: 3000 }
] as unknown as Measurement[]

test('sets no rate at full speed', () => {
  expect(rateOf({ row: floor, name: 'full speed', rate: 2000, measured })).toBe(0)
  expect(rateOf({ row: floor, name: 'full speed, python', rate: 2000, measured })).toBe(0)
})

test('sends five times as many decisions/s to rows with batches', () => {
  expect(rateOf({ row: floor, name: 'equal rate', rate: 2000, measured })).toBe(2000)
  expect(rateOf({ row: gatewayBatch, name: 'equal rate', rate: 2000, measured })).toBe(100)
})

test("halves the row's full speed, or the gateway's full speed for the broker", () => {
  expect(rateOf({ row: gateway, name: 'half load', rate: 2000, measured })).toBe(1500)
  expect(rateOf({ row: broker, name: 'half load', rate: 2000, measured })).toBe(1500)
  expect(rateOf({ row: gatewayBatch, name: 'half load', rate: 2000, measured })).toBeNull()
})
