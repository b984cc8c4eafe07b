/** The schemas of Kubernetes, which a package from PyPI brings along. */
import { join } from 'node:path'
import { findPythonEnvironment } from '../python-environment.ts'
import { run } from '../run-to-end.ts'
import type { Ended } from '../run-to-end.ts'

const wanted = 'kubernetes-validate==1.37.0'

/** Holds every object of a file against the schema of its kind; what is misspelt counts too. */
export type KubernetesValidate = (path: string, kubernetes: string) => Promise<Ended>

/** Null, and a line that says so, where there is none and none can be installed. */
export async function findKubernetesValidate(): Promise<KubernetesValidate | null> {
  const bin = await findPythonEnvironment('kubernetes-validate', wanted)
  if (bin === null) return null
  const program = join(bin, 'kubernetes-validate')
  return (path, kubernetes) => run(program, ['--strict', '-k', kubernetes, path])
}
