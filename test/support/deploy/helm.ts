/** Helm for the tests of its chart: built once from its own source, at one version. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { cacheFolder } from '../../../stack/downloads.ts'
import { run } from '../sdk/python.ts'
import type { Ended } from '../sdk/python.ts'

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

const folder = join(cacheFolder(process.env), `helm-${version}`)
const program = join(folder, 'helm')

/** Whether Helm is there, or can be built. */
export function hasHelm(): boolean {
  if (existsSync(program)) return true
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Takes minutes the first time. @throws with what Go printed when Helm cannot be built */
export async function buildHelm(): Promise<void> {
  if (existsSync(program)) return
  mkdirSync(folder, { recursive: true })
  const env = { ...process.env, GOBIN: folder }
  const { code, output } = await run('go', ['install', `helm.sh/helm/v3/cmd/helm@${version}`], {
    env
  })
  if (code !== 0) throw new Error(`Helm cannot be built:\n${output}`)
}

/** Its notes about links in the chart are left out: each is there for a text that has one home. */
export async function helm(...args: string[]): Promise<Ended> {
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
