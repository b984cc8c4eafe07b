/** Exports the public types, which are the same in every runtime. */
export type { FlushOptions, FlushResult, Stats } from './client.ts'
export type { DecisionContext, DecisionInput } from './decision.ts'
export type { DropReason } from './drop-reason.ts'
export type { AnyFunction, ObserveOptions, Observed } from './observe.ts'
export type { MethodDecorator } from './observed.ts'
export type { Options, RedactedDecision, Stage } from './options.ts'
export type { Observation, ObservationFields, Tokens, Trace } from './observation.ts'
export type { Sluice } from './sluice.ts'
