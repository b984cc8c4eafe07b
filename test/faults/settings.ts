/** Settings of the faults: a short form for tests, a long one for `npm run test:faults`. */
import type { FaultName } from './fault-titles.ts'
import type { StorageFaultName } from './storage/fault-titles.ts'

/** The environment variable that carries them to the tests, as JSON. */
export const faultsVariable = 'SLUICE_FAULTS'

export interface FaultSettings {
  /** How long a fault lasts. */
  readonly seconds: number
  /** How often what is over in a moment is repeated. */
  readonly rounds: number
  /** Requests in a second, where callers do not wait for each other. */
  readonly rate: number
  /** Of the load; the same seed sends the same decisions in the same order. */
  readonly seed: number
  /** Names of the faults to run; null for all. */
  readonly only: readonly string[] | null
  /** How long the gateway waits for the broker. */
  readonly deadlineMs: number
  /** Where results are put, one file for each fault; null to keep none. */
  readonly folder: string | null
  /** Where ledgers of storage are put, with what topics and tables held; null to keep none. */
  readonly keep: string | null
}

export const shortForm: FaultSettings = {
  seconds: 4,
  rounds: 12,
  rate: 60,
  seed: 1,
  only: null,
  deadlineMs: 2000,
  folder: null,
  keep: null
}

/** With the deadline that a gateway has by itself. */
export const longForm: FaultSettings = {
  seconds: 20,
  rounds: 200,
  rate: 200,
  seed: 1,
  only: null,
  deadlineMs: 10_000,
  folder: null,
  keep: null
}

const gateFaults: readonly (FaultName | StorageFaultName)[] = [
  'response-lost',
  'gateway-stopped',
  'storage-killed-between'
]

/** The three faults that every `npm test` runs; `npm run test:all` runs all of them. */
export const gateForm = {
  files: ['test/faults/faults.test.ts', 'test/faults/storage/storage-faults.test.ts'],
  settings: {
    ...shortForm,
    only: gateFaults
  } satisfies FaultSettings
}

export function readFaultSettings(): FaultSettings {
  const text = process.env[faultsVariable]
  return text === undefined ? shortForm : (JSON.parse(text) as FaultSettings)
}
