/** Types that a program may name, the same wherever it runs. */
export type { FlushOptions, FlushResult, Stats } from './client.ts'
export type { DecisionContext, DecisionInput } from './decision.ts'
export type { DropReason } from './drop-reason.ts'
export type { AnyFunction, ObserveOptions, Observed } from './observe.ts'
export type { MethodDecorator } from './observed.ts'
export type { Options, RedactedDecision, Stage } from './options.ts'
export type { Recording, RecordingFields, Tokens, Trace } from './recording.ts'
export type { Sluice } from './sluice.ts'
