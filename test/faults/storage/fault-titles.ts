/** Titles of the storage faults. docs.test.ts imports this file, so it must not depend on the
 * faults themselves.
 */
export const storageFaultTitles = {
  'storage-killed': 'storage killed at random',
  'storage-killed-between': 'storage killed between database commit and offset commit',
  'storage-frozen': 'storage frozen past its session, and back as a zombie',
  'storage-frozen-within': 'storage frozen within its transaction',
  'postgres-killed': 'Postgres killed and restarted',
  'postgres-frozen': 'Postgres frozen',
  'postgres-read-only': 'Postgres read-only',
  'partition-missing': 'partition missing, and then the default one too',
  rebalanced: 'rebalances 1 → 3 → 1',
  poisoned: 'poison of every kind',
  midnight: 'clock over midnight'
} as const

export type StorageFaultName = keyof typeof storageFaultTitles

/** Names that `--only` accepts. */
export const storageFaultNames = Object.keys(storageFaultTitles) as StorageFaultName[]
