/** Lifecycle: stops the parts of a process in reverse startup order, within a deadline. */
import type { Logger } from '../telemetry/logger.ts'

export interface Lifecycle {
  /**
   * Registers a stop step. Steps run in reverse order of registration. A step that is registered
   * after shutdown has begun runs immediately.
   */
  onStop(name: string, stop: () => Promise<void>): void
  /** Runs the stop steps. Later calls wait for the first. Never throws. */
  stop(reason: string): Promise<void>
  readonly isStopping: () => boolean
  /** Aborted when shutdown begins. */
  readonly stopping: AbortSignal
}

interface LifecycleOptions {
  readonly logger: Logger
  /** Maximum time for all steps together. */
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
    logger.debug({ step: step.name }, 'stop step completed')
  } catch (error) {
    logger.warn({ step: step.name, error: String(error) }, 'stop step failed')
  } finally {
    clearTimeout(timer)
  }
}
