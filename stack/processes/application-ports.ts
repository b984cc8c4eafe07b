/** Chooses the ports of the applications: the default ports, or free ports if the defaults are in
 * use.
 */
import type { ApplicationPorts } from './applications.ts'
import { isPortFree, preferPort } from '../ports.ts'

const GATEWAY_PORT = 8080
const MANAGEMENT_PORT = 9464

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Chooses a port. A port set by a variable must be free. A default port that is in use is replaced.
 */
async function choose(
  environment: Environment,
  variable: string,
  usual: number
): Promise<{ port: number; note: string[] }> {
  const wanted = environment[variable]
  if (wanted !== undefined && wanted !== '') {
    if (await isPortFree(Number(wanted))) return { port: Number(wanted), note: [] }
    throw new Error(`Port ${wanted} is in use: set ${variable} to another port.`)
  }
  const port = await preferPort(usual)
  const note = `Port ${usual} is in use; using ${port} instead (set ${variable} to choose another).`
  return { port, note: port === usual ? [] : [note] }
}

export async function chooseApplicationPorts(
  environment: Environment
): Promise<{ ports: ApplicationPorts; notes: string[] }> {
  const gateway = await choose(environment, 'GATEWAY_PORT', GATEWAY_PORT)
  const management = await choose(environment, 'MANAGEMENT_PORT', MANAGEMENT_PORT)
  const ports = {
    gateway: gateway.port,
    management: {
      gateway: management.port,
      storage: await preferPort(MANAGEMENT_PORT + 1),
      evaluation: await preferPort(MANAGEMENT_PORT + 2)
    }
  }
  return { ports, notes: [...gateway.note, ...management.note] }
}
