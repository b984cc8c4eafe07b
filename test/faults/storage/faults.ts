/** Maps names to storage faults. Each fault is a file in rows/. */
import type { StorageFault } from './fault.ts'
import type { StorageFaultName } from './fault-titles.ts'
import { midnight } from './rows/midnight.ts'
import { partitionMissing } from './rows/partition-missing.ts'
import { poisoned } from './rows/poisoned.ts'
import { postgresFrozen } from './rows/postgres-frozen.ts'
import { postgresKilled } from './rows/postgres-killed.ts'
import { postgresReadOnly } from './rows/postgres-read-only.ts'
import { rebalanced } from './rows/rebalanced.ts'
import { storageFrozen } from './rows/storage-frozen.ts'
import { storageFrozenWithin } from './rows/storage-frozen-within.ts'
import { storageKilled } from './rows/storage-killed.ts'
import { storageKilledBetween } from './rows/storage-killed-between.ts'

export const storageFaults: Readonly<Record<StorageFaultName, StorageFault>> = {
  'storage-killed': storageKilled,
  'storage-killed-between': storageKilledBetween,
  'storage-frozen': storageFrozen,
  'storage-frozen-within': storageFrozenWithin,
  'postgres-killed': postgresKilled,
  'postgres-frozen': postgresFrozen,
  'postgres-read-only': postgresReadOnly,
  'partition-missing': partitionMissing,
  rebalanced,
  poisoned,
  midnight
}
