/** The systems that are measured, in the order of the table; the first is what ratios refer to. */
import type { Row } from './row.ts'
import { broker } from './rows/broker.ts'
import { collector, collectorBatch, collectorBatchJson, collectorJson } from './rows/collector.ts'
import { floor } from './rows/floor.ts'
import { gateway, gatewayBatch, gatewayNdjson, gatewayWorkers } from './rows/gateway.ts'

export const rows: readonly Row[] = [
  floor,
  gateway,
  collector,
  collectorJson,
  gatewayBatch,
  gatewayNdjson,
  collectorBatch,
  collectorBatchJson,
  gatewayWorkers,
  broker
]
