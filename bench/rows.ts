/** Lists the benchmark rows in the order of the table. */
import type { BenchRow } from './row.ts'
import { broker } from './rows/broker.ts'
import {
  collector,
  collectorBatch,
  collectorBatchJson,
  collectorJson,
  collectorTraces
} from './rows/collector.ts'
import { floor } from './rows/floor.ts'
import {
  gateway,
  gatewayBatch,
  gatewayNdjson,
  gatewayTraces,
  gatewayWorkers
} from './rows/gateway.ts'

export const rows: readonly BenchRow[] = [
  floor,
  gateway,
  collector,
  collectorJson,
  gatewayBatch,
  gatewayNdjson,
  collectorBatch,
  collectorBatchJson,
  gatewayTraces,
  collectorTraces,
  gatewayWorkers,
  broker
]
