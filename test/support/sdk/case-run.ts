/** One run of one case of sdk/conformance: what takes part in it, and what was seen. */
import type { ConformanceCase, Members } from './conformance-case.ts'
import type { Driver, Exit, Sdk } from './driver.ts'
import type { ScriptedServer } from './scripted-server.ts'

export interface CaseRun {
  readonly sdk: Sdk
  readonly case: ConformanceCase
  readonly server: ScriptedServer
  readonly driver: Driver
  /** Of all that were logged, in order. */
  readonly ids: string[]
  readonly faults: string[]
  /** The last that were told. */
  stats: Members | null
  exit: Exit | null
  isGone: boolean
  /** It was told something that it has not answered, so that what it logged is not known. */
  isUnanswered: boolean
}
