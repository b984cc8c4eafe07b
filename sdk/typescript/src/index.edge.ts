/** Entry point for Workers and other edge hosts: sends agent decisions to a Sluice gateway. */
import { createEdgeContextStorage } from './edge-context-storage.ts'
import { createEdgePlatform } from './edge-platform.ts'
import type { Options } from './options.ts'
import { resolveSettings } from './resolve-settings.ts'
import { createSluice } from './sluice.ts'
import type { Sluice } from './sluice.ts'

export type * from './api-types.ts'
export { sdkVersion } from './sdk-version.ts'

/** Starts a client. Unset options are read from the environment, if the host has one. */
export function init(options: Options = {}): Sluice {
  const platform = createEdgePlatform()
  const settings = resolveSettings(options, platform)
  return createSluice({ settings, platform, storage: createEdgeContextStorage() })
}
