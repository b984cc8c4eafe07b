/** Sends what agents decided to a Sluice gateway: the SDK for Workers and other edge hosts. */
import { createEdgeContextStorage } from './edge-context-storage.ts'
import { createEdgePlatform } from './edge-platform.ts'
import type { Options } from './options.ts'
import { resolveSettings } from './resolve-settings.ts'
import { createSluice } from './sluice.ts'
import type { Sluice } from './sluice.ts'

export type * from './api-types.ts'
export { sdkVersion } from './sdk-version.ts'

/** Starts a client; every option that is not given comes from the environment, if there is one. */
export function init(options: Options = {}): Sluice {
  const platform = createEdgePlatform()
  const settings = resolveSettings(options, platform)
  return createSluice({ settings, platform, storage: createEdgeContextStorage() })
}
