/** Validates Kubernetes objects with the PyPI package kubernetes-validate. */
import { join } from 'node:path'
import { findPythonEnvironment } from '../python-environment.ts'
import { run } from '../run-to-end.ts'
import type { ProgramResult } from '../run-to-end.ts'

const wanted = 'kubernetes-validate==1.37.0'

/**
 * Validates every object in a file against the schema of its kind for a Kubernetes version. Unknown
 * fields are errors.
 */
type KubernetesValidate = (path: string, kubernetes: string) => Promise<ProgramResult>

/** Returns null, after a warning, if the package is missing and cannot be installed. */
export async function findKubernetesValidate(): Promise<KubernetesValidate | null> {
  const bin = await findPythonEnvironment('kubernetes-validate', wanted)
  if (bin === null) return null
  const program = join(bin, 'kubernetes-validate')
  return (path, kubernetes) => run(program, ['--strict', '-k', kubernetes, path])
}
