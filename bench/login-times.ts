/** Whether a wrong login tells by its time that there is an account. */
import { askLogin } from './system/api-gateway.ts'
import { median } from './report/median.ts'
import { benchLogin } from './open-bench.ts'

export interface LoginTimes {
  /** Of each kind. */
  readonly times: number
  readonly known_ms: number
  readonly unknown_ms: number
}

/** Below what an account may get wrong before it has to wait. */
const times = 9

/** Medians, the two kinds in turn: what the machine does to one it does to the other. */
export async function askLogins(url: string): Promise<LoginTimes> {
  const [known, unknown]: [number[], number[]] = [[], []]
  const time = async (email: string, index: number): Promise<number> => {
    const startedAt = performance.now()
    const { status } = await askLogin(url, { email, password: `wrong ${index}` })
    if (status !== 401) throw new Error(`A wrong login was answered ${status}.`)
    return performance.now() - startedAt
  }
  for (let index = 0; index < times; index++) {
    const kinds = [
      { email: benchLogin.email, found: known },
      { email: `nobody-${index}@sluice.local`, found: unknown }
    ]
    // Whoever comes second finds the processor awake, so they change places.
    for (const { email, found } of index % 2 === 0 ? kinds : kinds.toReversed()) {
      found.push(await time(email, index))
    }
  }
  return { times, known_ms: median(known), unknown_ms: median(unknown) }
}
