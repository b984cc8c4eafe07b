/** Profiles one row under full load and says where its time went. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { measure } from './measure.ts'
import { linesOf, selfTimesOf } from './profile.ts'
import type { CpuProfile } from './profile.ts'
import type { Row } from './row.ts'
import { fullSpeed, warmUp } from './session.ts'
import type { Session } from './session.ts'

const functionsShown = 15

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

export async function profileRow(session: Session, row: Row, folder: string): Promise<void> {
  const { bench, options, load, say } = session
  const target = await row.start(bench)
  await warmUp(session, [{ row, target }])
  const from = monotonicMicroseconds()
  const { connections, seconds } = options
  await measure(row, target, { drive: fullSpeed, round: 1, connections, seconds, load })
  const span = { from, to: monotonicMicroseconds() }
  await bench.end(row.name)

  for (const name of profilesIn(folder)) {
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile
    say(`\n${name}, self time at ${fullSpeed.name}:`)
    const times = selfTimesOf(profile, span, process.cwd())
    for (const line of linesOf(times.slice(0, functionsShown))) say(line)
  }
}

/** The clock that V8 stamps its samples with. */
function monotonicMicroseconds(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
