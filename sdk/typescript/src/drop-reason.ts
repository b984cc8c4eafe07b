/** Drop reasons: why a logged decision was dropped. */
export const dropReasons = [
  'queue_full',
  'too_large',
  'invalid',
  'redact_error',
  'redacted',
  'refused',
  'unauthorized',
  'retries_exhausted',
  'shutdown'
] as const

export type DropReason = (typeof dropReasons)[number]
