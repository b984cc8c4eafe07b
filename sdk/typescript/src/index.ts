/** Entry point for Node, Bun and Deno: sends agent decisions to a Sluice gateway. */
import { createNodeContextStorage } from './node-context-storage.ts'
import { createNodePlatform } from './node-platform.ts'
import type { Options } from './options.ts'
import { resolveSettings } from './resolve-settings.ts'
import { createSluice } from './sluice.ts'
import type { Sluice } from './sluice.ts'

export type * from './api-types.ts'
export { sdkVersion } from './sdk-version.ts'

/** Starts a client. Unset options are read from the environment. */
export function init(options: Options = {}): Sluice {
  const platform = createNodePlatform()
  const settings = resolveSettings(options, platform)
  return createSluice({ settings, platform, storage: createNodeContextStorage() })
}
