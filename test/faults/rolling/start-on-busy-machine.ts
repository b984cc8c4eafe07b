/** Starts an application on a machine that may be heavily overloaded. */
import { startApplication } from '../../support/application.ts'
import type { Application, ApplicationName, ApplicationOptions } from '../../support/application.ts'
import { waitUntil } from '../../support/wait-until.ts'

const readyMs = 180_000

/**
 * Starts the application and waits up to three minutes until it is ready.
 * @throws if it exits or is not ready in time
 */
export async function startOnBusyMachine(
  name: ApplicationName,
  options: Omit<ApplicationOptions, 'waitReady'>
): Promise<Application> {
  const application = await startApplication(name, { ...options, waitReady: false })
  const ended = application.exited.then(() => {
    throw new Error(`${name} ended instead of becoming ready:\n${application.log()}`)
  })
  // Prevent an unhandled rejection when the application exits later.
  ended.catch(() => {})
  await Promise.race([ended, waitUntil(`${name} is ready`, application.isReady, readyMs)])
  return application
}
