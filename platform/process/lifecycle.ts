/** Ordered start and stop of a process: what began last ends first, each within the deadline. */
import type { Logger } from '../telemetry/logger.ts'

export interface Lifecycle {
  /**
   * Registers a step of the stop; steps run in the reverse order of their registration.
   * What is registered once the stop has begun is stopped at once.
   */
  onStop(name: string, stop: () => Promise<void>): void
  /** Runs the steps once; further calls wait for the first. Never throws. */
  stop(reason: string): Promise<void>
  readonly isStopping: () => boolean
  /** Aborted the moment the stop begins. */
  readonly stopping: AbortSignal
}

export interface LifecycleOptions {
  readonly logger: Logger
  /** For all steps together. */
  readonly deadlineMs: number
}

interface Step {
  readonly name: string
  readonly stop: () => Promise<void>
}

export function createLifecycle(options: LifecycleOptions): Lifecycle {
  const steps: Step[] = []
  const stopBegins = new AbortController()
  let stopping: Promise<void> | undefined

  async function runSteps(reason: string): Promise<void> {
    const endsAt = performance.now() + options.deadlineMs
    options.logger.info({ reason }, 'stopping')
    stopBegins.abort()
    for (const step of steps.toReversed()) {
      await runStep(step, Math.max(0, endsAt - performance.now()), options.logger)
    }
    options.logger.info({}, 'stopped')
  }

  return {
    onStop: (name, stop) => {
      if (stopping === undefined) steps.push({ name, stop })
      else void runStep({ name, stop }, options.deadlineMs, options.logger)
    },
    stop: (reason) => (stopping ??= runSteps(reason)),
    isStopping: () => stopping !== undefined,
    stopping: stopBegins.signal
  }
}

async function runStep(step: Step, deadlineMs: number, logger: Logger): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`took over ${deadlineMs} ms`)), deadlineMs)
  try {
    await Promise.race([step.stop(), late.promise])
    logger.debug({ step: step.name }, 'stopped a part')
  } catch (error) {
    logger.warn({ step: step.name, error: String(error) }, 'a part did not stop in order')
  } finally {
    clearTimeout(timer)
  }
}
