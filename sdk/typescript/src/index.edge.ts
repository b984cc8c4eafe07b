/** Sends what agents decided to a Sluice gateway: the SDK for Workers and other edge hosts. */
import { createClient } from './client.ts'
import type { Client } from './client.ts'
import { createEdgePlatform } from './edge-platform.ts'
import type { Options } from './options.ts'
import { resolveSettings } from './resolve-settings.ts'

export type { Client as Sluice, FlushResult, Stats } from './client.ts'
export type { DecisionInput } from './decision.ts'
export type { DropReason } from './drop-reason.ts'
export type { Options, RedactedDecision, Stage } from './options.ts'
export { sdkVersion } from './sdk-version.ts'

/** Starts a client; every option that is not given comes from the environment, if there is one. */
export function init(options: Options = {}): Client {
  const platform = createEdgePlatform()
  return createClient({ settings: resolveSettings(options, platform), platform })
}
