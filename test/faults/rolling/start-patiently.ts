/** Starts a process of ours on a machine that may have ten times as much to do as it can. */
import { startApplication } from '../../support/application.ts'
import type { Application, ApplicationName, ApplicationOptions } from '../../support/application.ts'
import { waitUntil } from '../../support/wait-until.ts'

const readyMs = 180_000

/** @throws when it ends instead of becoming ready, or is not ready within three minutes. */
export async function startPatiently(
  name: ApplicationName,
  options: Omit<ApplicationOptions, 'waitReady'>
): Promise<Application> {
  const application = await startApplication(name, { ...options, waitReady: false })
  const ended = application.exited.then(() => {
    throw new Error(`${name} ended instead of becoming ready:\n${application.log()}`)
  })
  // Later it may end as it likes.
  ended.catch(() => {})
  await Promise.race([ended, waitUntil(`${name} is ready`, application.isReady, readyMs)])
  return application
}
