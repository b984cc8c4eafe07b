/** Finds the pods and containers in rendered Kubernetes objects. */
import type { Rendered } from './helm.ts'

export interface Container {
  readonly name: string
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly resources: Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>
  readonly [probe: `${string}Probe`]: { readonly httpGet: Readonly<Record<string, string>> }
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } }
}

export interface Pod {
  /** Kind and name of the Deployment or Job. */
  readonly of: string
  readonly labels: Readonly<Record<string, string>>
  readonly containers: readonly Container[]
  readonly terminationGracePeriodSeconds?: number
  readonly volumes: readonly Readonly<Record<string, unknown>>[]
  readonly [rest: string]: unknown
}

interface Template {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> }
  readonly spec: Pod
}

export function podsOf(objects: readonly Rendered[]): Pod[] {
  return objects.flatMap(({ kind, metadata, spec }) => {
    if (kind !== 'Deployment' && kind !== 'Job') return []
    const { metadata: own, spec: pod } = spec['template'] as Template
    return [{ ...pod, of: `${kind} ${metadata.name}`, labels: own.labels }]
  })
}

export function containersOf(objects: readonly Rendered[]): (Container & { of: string })[] {
  return podsOf(objects).flatMap(({ of, containers }) =>
    containers.map((container) => ({ ...container, of }))
  )
}

/** Returns the value of an environment variable; undefined if it is not set. */
export function variableOf({ env }: Container, name: string): string | undefined {
  return env.find((variable) => variable.name === name)?.value
}
