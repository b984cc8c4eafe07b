/** Sends what agents decided to a Sluice gateway: the SDK for Node, Bun and Deno. */
import { createNodeContextStorage } from './node-context-storage.ts'
import { createNodePlatform } from './node-platform.ts'
import type { Options } from './options.ts'
import { resolveSettings } from './resolve-settings.ts'
import { createSluice } from './sluice.ts'
import type { Sluice } from './sluice.ts'

export type { FlushResult, Stats } from './client.ts'
export type { DecisionContext, DecisionInput } from './decision.ts'
export type { DropReason } from './drop-reason.ts'
export type { AnyFunction, ObserveOptions, Observed } from './observe.ts'
export type { MethodDecorator } from './observed.ts'
export type { WrapOptions } from './openai.ts'
export type { Options, RedactedDecision, Stage } from './options.ts'
export type { Recording, RecordingFields, Tokens, Trace } from './recording.ts'
export { sdkVersion } from './sdk-version.ts'
export type { Sluice } from './sluice.ts'

/** Starts a client; every option that is not given comes from the environment. */
export function init(options: Options = {}): Sluice {
  const platform = createNodePlatform()
  const settings = resolveSettings(options, platform)
  return createSluice({ settings, platform, storage: createNodeContextStorage() })
}
