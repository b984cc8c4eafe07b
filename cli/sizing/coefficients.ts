/** Lists the measured costs of a decision; docs/guides/operations/sizing.md has the same table. */

export interface Coefficient {
  readonly value: number
  /** Unit of `value`, per decision unless the unit says otherwise. */
  readonly unit: string
  readonly what: string
  /** Command that repeats the measurement. */
  readonly measuredBy: string
}

const sizing = 'npm run bench -- --sizing'
const rows = 'npm run bench -- --rows gateway,gateway-batch'

export const coefficients = {
  gatewayAlone: {
    value: 200,
    unit: 'CPU-µs',
    measuredBy: rows,
    what: 'gateway, one decision per request'
  },
  gatewayBatch: {
    value: 33,
    unit: 'CPU-µs',
    measuredBy: rows,
    what: 'gateway, batches of 100'
  },
  storage: {
    value: 138,
    unit: 'CPU-µs',
    measuredBy: sizing,
    what: 'storage of decisions and their evaluations'
  },
  evaluation: {
    value: 129,
    unit: 'CPU-µs',
    measuredBy: sizing,
    what: 'evaluation by the default rule'
  },
  postgres: {
    value: 403,
    unit: 'CPU-µs',
    measuredBy: sizing,
    what: 'Postgres, for storage and evaluation'
  },
  kafka: {
    value: 134,
    unit: 'CPU-µs',
    measuredBy: sizing,
    what: 'each broker with a replica, both topics'
  },
  topicExtra: {
    value: 150,
    unit: 'bytes',
    measuredBy: sizing,
    what: 'record of a decision, in addition to its size as sent'
  },
  evaluationRecord: {
    value: 2190,
    unit: 'bytes',
    measuredBy: sizing,
    what: 'record of the evaluation of a decision by the default rule'
  },
  rowExtra: {
    value: 760,
    unit: 'bytes',
    measuredBy: sizing,
    what: 'row and identity of a decision with indexes, in addition to its size as sent'
  },
  evaluationRows: {
    value: 850,
    unit: 'bytes',
    measuredBy: sizing,
    what: 'evaluation of a decision by the default rule, with indexes'
  },
  wal: {
    value: 3640,
    unit: 'bytes',
    measuredBy: sizing,
    what: 'Postgres write-ahead log, without full-page images'
  },
  gatewayMemory: {
    value: 375,
    unit: 'MiB per process',
    measuredBy: 'npm run bench -- --steady',
    what: 'memory of a gateway, in addition to its bytes in flight'
  }
} as const satisfies Readonly<Record<string, Coefficient>>
