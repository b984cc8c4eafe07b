/** Parses the arguments of `npm test`: phases and paths to run, and flags. */
import { formatTable } from '../../../core/format-table.ts'
import { phaseNames, phaseOf, phaseOfPath, phases } from './phases.ts'
import type { PhaseName } from './phases.ts'

export type Plan = {
  phases: PhaseName[]
  /** Prefixes of the paths of test files to run. If empty, all tests of the phases run. */
  filters: string[]
  /**
   * `gate` skips unchanged phases, and runs only some tests of the console and of faults. `named`
   * is used if phases or paths were given.
   */
  form: 'gate' | 'all' | 'named'
  /** `keep` leaves the stack running for the next run; `stop` stops a kept stack. */
  stack: 'end' | 'keep' | 'stop'
}

const flags = ['--all', '--keep', '--stop'] as const
const about = phaseNames.map((name) => [name, `${phaseOf(name).about}${remarkOf(name)}`])

export const helpText = `npm test                            the gate: every change must pass it
npm run test:all                    every phase that need not be named, with all faults
npm test -- unit contract           only these phases
npm test -- test/e2e/logs           test files whose paths begin with this, in their phase
npm test -- --keep [...]            keep the stack running; the next run starts in seconds
npm test -- --stop                  stop a kept stack
npm test -- --help                  print this help

${formatTable(about).join('\n')}

Most phases use Kafka, a schema registry, Redis and Postgres. The run starts them on free ports and
stops them when it ends. SLUICE_STACK=native, docker or external selects how they start.
`

function remarkOf(name: PhaseName): string {
  const { runs } = phaseOf(name)
  if (runs === 'changed') return '; skipped while its files are unchanged since it last passed'
  return runs === 'asked' ? '; only when named' : ''
}

/**
 * Parses the arguments.
 * @throws if an argument is not a phase, a flag or a path below test/, or if `--stop` is combined
 * with other arguments
 */
export function planOf(args: readonly string[]): Plan {
  const given = args.filter((arg) => flags.some((flag) => flag === arg))
  const paths = args.filter((arg) => /^([.]\/)?test\//.test(arg))
  const names = args.filter((arg) => !paths.includes(arg) && !given.includes(arg))
  const unknown = names.filter((name) => !Object.hasOwn(phases, name))
  if (unknown.length > 0) {
    throw new Error(`${unknown.join(', ')}: neither a phase nor a path below test/ (try --help)`)
  }
  if (given.includes('--stop') && args.length > 1) throw new Error('--stop takes no other argument')
  const wanted = new Set([...names, ...paths.map(phaseOfPath)])
  const isWanted = (name: PhaseName): boolean =>
    wanted.size === 0 ? phaseOf(name).runs !== 'asked' : wanted.has(name)
  return {
    phases: phaseNames.filter(isWanted),
    // A phase given by name runs completely, even if paths in it are given too.
    filters: paths
      .filter((path) => !names.includes(phaseOfPath(path)))
      .map((path) => path.replace(/^[.]\//, '')),
    form: wanted.size > 0 ? 'named' : given.includes('--all') ? 'all' : 'gate',
    stack: given.includes('--stop') ? 'stop' : given.includes('--keep') ? 'keep' : 'end'
  }
}
