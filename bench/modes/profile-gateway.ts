/** `--cpu-prof`: profiles the gateway under full load. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { measure } from '../measure.ts'
import type { BenchResult } from '../report/bench-result.ts'
import { markdownOf, ownersOf, selfTimesOf } from '../profile.ts'
import type { CpuProfile, Span } from '../profile.ts'
import { decisionsTopic, gateway } from '../rows/gateway.ts'
import { fullSpeed, warmUp } from '../session.ts'
import type { Session } from '../session.ts'
import { startRow } from '../start-row.ts'

const linesShown = 15

/** Returns Node flags that make a process write its profile to `folder` on exit. */
export function profileFlags(folder: string): string[] {
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}

/** Creates the folder and removes profiles of earlier runs. */
export function clearProfiles(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of profilesIn(folder)) rmSync(join(folder, name))
}

function profilesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
}

export async function profileGateway(session: Session, folder: string): Promise<BenchResult> {
  const { bench, options, load } = session
  clearProfiles(folder)
  // Profiles the first selected gateway row, so that `--rows gateway-batch` profiles batches.
  const row = session.rows.find(({ topic }) => topic === decisionsTopic) ?? gateway
  const target = await startRow(row, bench)
  await warmUp(session, [{ row, target }])
  const from = monotonicMicroseconds()
  const { connections, seconds } = options
  await measure(row, target, { drive: fullSpeed, round: 1, connections, seconds, load })
  const span = { from, to: monotonicMicroseconds() }
  await bench.end(row.name)

  const { profiles, page } = readProfiles(folder, span)
  return { isComplete: true, page, figures: { seconds, connections, profiles } }
}

/** Reads the profiles in the folder and keeps only samples in the time span. */
export function readProfiles(folder: string, span: Span) {
  const profiles = profilesIn(folder).map((name) => {
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile
    const given = [profile, span, process.cwd()] as const
    const functions = selfTimesOf(...given).slice(0, linesShown)
    return { functions, owners: ownersOf(...given).slice(0, linesShown) }
  })
  const page = profiles.flatMap(({ functions, owners }) => [
    markdownOf('on behalf of', owners),
    '',
    markdownOf('function', functions),
    ''
  ])
  return { profiles, page }
}

/** Returns the current time in microseconds, on the clock that V8 uses for profile samples. */
export function monotonicMicroseconds(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
