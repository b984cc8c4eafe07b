/** Interface of evaluation faults, which are injected and repaired during a run. */
import type { Installation } from '../../support/installation.ts'
import type { Random } from '../random.ts'
import type { FaultSettings } from '../settings.ts'
import type { Members } from '../storage/members.ts'
import type { EvaluationLedger } from './evaluation-ledger.ts'
import type { JudgeProcess } from './judge-process.ts'

export interface EvaluationFault {
  /** Returns a short description for the results table. */
  done(settings: FaultSettings): string
  /**
   * Injects and repairs the fault, and resolves with the number of injected faults. Each killed
   * process counts.
   */
  inject(scene: EvaluationScene): Promise<number>
}

/** System under test, and controls for the fault. */
export interface EvaluationScene {
  readonly installation: Installation
  readonly settings: FaultSettings
  readonly random: Random
  readonly ledger: EvaluationLedger
  readonly judge: JudgeProcess
  readonly evaluation: Members
  readonly storage: Members
  /** Waits for the configured fault duration, multiplied by `times`. */
  last(times?: number): Promise<void>
  /** Waits until every decision currently on the topic has a plan. Call this after a repair. */
  recover(): Promise<void>
}
