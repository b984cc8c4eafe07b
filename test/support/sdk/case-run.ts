/** Defines the state of a conformance case while it runs. */
import type { ConformanceCase, Members } from './conformance-case.ts'
import type { Driver, Exit, Sdk } from './driver.ts'
import type { ScriptedServer } from './scripted-server.ts'

export interface CaseRun {
  readonly sdk: Sdk
  readonly case: ConformanceCase
  readonly server: ScriptedServer
  readonly driver: Driver
  /** Ids of all logged decisions. */
  readonly ids: string[]
  readonly faults: string[]
  /** Latest stats of the client; null if none were requested. */
  stats: Members | null
  exit: Exit | null
  isGone: boolean
  /** True if the runner does not know all ids of logged decisions, so that `ids` is incomplete. */
  isUnanswered: boolean
}
