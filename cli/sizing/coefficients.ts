/** What a decision costs, as it was measured; docs/sizing.md has the same table. */

export interface Coefficient {
  readonly value: number
  /** Of the value, for one decision unless it says otherwise. */
  readonly unit: string
  readonly what: string
  /** The command that measures it again. */
  readonly measuredBy: string
}

const sizing = 'npm run bench -- --sizing'
const rows = 'npm run bench -- --rows gateway,gateway-batch'

export const coefficients = {
  gatewayAlone: {
    ...{ value: 200, unit: 'CPU-µs', measuredBy: rows },
    what: 'gateway, one decision a request'
  },
  gatewayBatch: {
    ...{ value: 33, unit: 'CPU-µs', measuredBy: rows },
    what: 'gateway, batches of 100'
  },
  storage: {
    ...{ value: 138, unit: 'CPU-µs', measuredBy: sizing },
    what: 'storage, of decisions and their evaluations'
  },
  evaluation: {
    ...{ value: 129, unit: 'CPU-µs', measuredBy: sizing },
    what: 'evaluation by the default rule'
  },
  postgres: { ...{ value: 403, unit: 'CPU-µs', measuredBy: sizing }, what: 'Postgres, of both' },
  kafka: {
    ...{ value: 134, unit: 'CPU-µs', measuredBy: sizing },
    what: 'each broker that has a copy, both topics'
  },
  topicExtra: {
    ...{ value: 150, unit: 'bytes', measuredBy: sizing },
    what: 'record of a decision, beside what was sent'
  },
  evaluationRecord: {
    ...{ value: 2190, unit: 'bytes', measuredBy: sizing },
    what: 'record of its evaluation by the default rule'
  },
  rowExtra: {
    ...{ value: 760, unit: 'bytes', measuredBy: sizing },
    what: 'its row and identity with indexes, beside what was sent'
  },
  evaluationRows: {
    ...{ value: 850, unit: 'bytes', measuredBy: sizing },
    what: 'its evaluation by the default rule with indexes'
  },
  wal: {
    ...{ value: 3640, unit: 'bytes', measuredBy: sizing },
    what: "Postgres' write-ahead log, without images of whole pages"
  },
  gatewayMemory: {
    ...{ value: 375, unit: 'MiB a process', measuredBy: 'npm run bench -- --steady' },
    what: 'memory of a gateway, beside its bytes in flight'
  }
} as const satisfies Readonly<Record<string, Coefficient>>
