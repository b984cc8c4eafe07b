/** Runs Helm for tests of the chart. Helm is built once from source at a pinned version. */
import { parseAllDocuments } from 'yaml'
import { findGoProgram } from '../go-program.ts'
import { run } from '../run-to-end.ts'
import type { ProgramResult } from '../run-to-end.ts'

export const chart = 'deploy/helm/sluice'
export const kubernetesVersion = '1.34'
const version = 'v3.19.0'

/** Kubernetes object that `helm template` produced. */
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

/** Returns the path to Helm; null, after a warning, if it is missing and cannot be built. */
export function findHelm(): Promise<string | null> {
  return findGoProgram({ name: 'helm', version, source: 'helm.sh/helm/v3/cmd/helm' })
}

/** Runs Helm and removes its warnings about symbolic links, which the chart uses on purpose. */
export async function helm(...args: string[]): Promise<ProgramResult> {
  const program = await findHelm()
  if (program === null) throw new Error('Helm is missing')
  const { code, output } = await run(program, args)
  const lines = output.split('\n').filter((line) => !/found symbolic link in path/.test(line))
  return { code, output: lines.join('\n') }
}

export async function renderText(...args: string[]): Promise<ProgramResult> {
  const where = ['--namespace', 'sluice', '--kube-version', kubernetesVersion]
  return await helm('template', 'sluice', chart, ...where, ...args)
}

/**
 * Renders the chart and parses the objects.
 * @throws {Error} that contains Helm's output, if it fails
 */
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
