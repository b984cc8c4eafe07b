/** One thing that breaks for evaluation: how it is broken and mended. */
import type { Installation } from '../../support/installation.ts'
import type { Random } from '../random.ts'
import type { FaultSettings } from '../settings.ts'
import type { Members } from '../storage/members.ts'
import type { EvaluationLedger } from './evaluation-ledger.ts'
import type { JudgeProcess } from './judge-process.ts'

export interface EvaluationFault {
  /** In a few words, for the table. */
  done(settings: FaultSettings): string
  /** Breaks and mends; when it resolves, all is as it was. Answers how many faults it was. */
  inject(scene: EvaluationScene): Promise<number>
}

/** What a fault happens to. */
export interface EvaluationScene {
  readonly installation: Installation
  readonly settings: FaultSettings
  readonly random: Random
  readonly ledger: EvaluationLedger
  readonly judge: JudgeProcess
  readonly evaluation: Members
  readonly storage: Members
  /** Resolves when the time of a fault is over, or so many times as much. */
  last(times?: number): Promise<void>
  /** Called when something is mended: resolves when all is planned that was on the topic then. */
  recover(): Promise<void>
}
