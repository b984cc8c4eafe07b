/** Profiles the gateway under full load and says where its time went. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { measure } from '../measure.ts'
import type { Outcome } from '../report/outcome.ts'
import { markdownOf, ownersOf, selfTimesOf } from '../profile.ts'
import type { CpuProfile, Span } from '../profile.ts'
import { decisionsTopic, gateway } from '../rows/gateway.ts'
import { fullSpeed, warmUp } from '../session.ts'
import type { Session } from '../session.ts'
import { startRow } from '../start-row.ts'

const linesShown = 15

/** Node flags that make a process write its profile into `folder` when it ends. */
export function profileFlags(folder: string): string[] {
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`]
}

/** Only profiles of this run are in the folder afterwards. */
export function clearProfiles(folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of profilesIn(folder)) rmSync(join(folder, name))
}

function profilesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'))
}

export async function profileGateway(session: Session, folder: string): Promise<Outcome> {
  const { bench, options, load } = session
  clearProfiles(folder)
  // The first of ours that is asked for, so that batches can be profiled, too.
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

/** What processes have left in the folder, of the time between. */
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

/** The clock that V8 stamps its samples with. */
export function monotonicMicroseconds(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
