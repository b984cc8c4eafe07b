/** Defines the settings of fault tests: a short form for `npm test` and a long form for `npm run
 * test:faults`.
 */
import type { FaultName } from './fault-titles.ts'
import type { StorageFaultName } from './storage/fault-titles.ts'

/** Environment variable that passes the settings to the test files as JSON. */
export const faultsVariable = 'SLUICE_FAULTS'

export interface FaultSettings {
  /** Duration of a fault in seconds. */
  readonly seconds: number
  /** Number of repetitions of instantaneous faults. */
  readonly rounds: number
  /** Requests per second during rolling restarts. */
  readonly rate: number
  /** Seed of the load. The same seed generates the same decisions. */
  readonly seed: number
  /** Names of the faults to run; null for all. */
  readonly only: readonly string[] | null
  /** Value of PRODUCE_DEADLINE_MS for the gateways. */
  readonly deadlineMs: number
  /** Folder for one result file per fault; null to save none. */
  readonly folder: string | null
  /** Folder for ledgers and evidence of storage faults; null to save none. */
  readonly keep: string | null
}

const shortForm: FaultSettings = {
  seconds: 4,
  rounds: 12,
  rate: 60,
  seed: 1,
  only: null,
  deadlineMs: 2000,
  folder: null,
  keep: null
}

/** Defaults of the long form. `deadlineMs` is the gateway's default. */
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

/**
 * Faults that `npm test` runs. `npm run test:all` runs all faults in the short form, except rolling
 * restarts with `isLong`.
 */
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
