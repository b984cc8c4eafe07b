/** Measures whether the duration of a failed login reveals that an account exists. */
import { attemptLogin } from './system/api-gateway.ts'
import { median } from './report/median.ts'
import { benchLogin } from './open-bench.ts'

export interface LoginTimes {
  /** Number of logins per kind: known and unknown email. */
  readonly times: number
  readonly known_ms: number
  readonly unknown_ms: number
}

/**
 * Number of logins per kind, below the limit of 10 failed logins for an account from one network.
 */
const times = 9

/**
 * Returns the median login times for known and unknown emails. Alternates between them, so that
 * disturbances affect both.
 */
export async function measureLogins(url: string): Promise<LoginTimes> {
  const [known, unknown]: [number[], number[]] = [[], []]
  const time = async (email: string, index: number): Promise<number> => {
    const startedAt = performance.now()
    const { status } = await attemptLogin(url, { email, password: `wrong ${index}` })
    if (status !== 401) throw new Error(`A failed login got status ${status}.`)
    return performance.now() - startedAt
  }
  for (let index = 0; index < times; index++) {
    const kinds = [
      { email: benchLogin.email, found: known },
      { email: `nobody-${index}@sluice.local`, found: unknown }
    ]
    // Alternates the order, because the CPU is busier during the second login of a pair.
    for (const { email, found } of index % 2 === 0 ? kinds : kinds.toReversed()) {
      found.push(await time(email, index))
    }
  }
  return { times, known_ms: median(known), unknown_ms: median(unknown) }
}
