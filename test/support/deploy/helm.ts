/** Helm for the tests of its chart: built once from its own source, at one version. */
import { parseAllDocuments } from 'yaml'
import { findGoProgram } from '../go-program.ts'
import { run } from '../run-to-end.ts'
import type { Ended } from '../run-to-end.ts'

export const chart = 'deploy/helm/sluice'
export const kubernetesVersion = '1.34'
const version = 'v3.19.0'

/** An object as it would be sent to a cluster. */
export interface Rendered {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly spec: Readonly<Record<string, unknown>>
}

/** Where it is; null, and a line that says so, where there is none and none can be built. */
export function findHelm(): Promise<string | null> {
  return findGoProgram({ name: 'helm', version, source: 'helm.sh/helm/v3/cmd/helm' })
}

/** Its notes about links in the chart are left out: each is there for a text that has one home. */
export async function helm(...args: string[]): Promise<Ended> {
  const program = await findHelm()
  if (program === null) throw new Error('there is no Helm')
  const { code, output } = await run(program, args)
  const lines = output.split('\n').filter((line) => !/found symbolic link in path/.test(line))
  return { code, output: lines.join('\n') }
}

export async function renderText(...args: string[]): Promise<Ended> {
  const where = ['--namespace', 'sluice', '--kube-version', kubernetesVersion]
  return await helm('template', 'sluice', chart, ...where, ...args)
}

/** @throws with what Helm printed, unless it rendered */
export async function render(...args: string[]): Promise<Rendered[]> {
  const { code, output } = await renderText(...args)
  if (code !== 0) throw new Error(output)
  return objectsOf(output)
}

export function objectsOf(text: string): Rendered[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null)
}
