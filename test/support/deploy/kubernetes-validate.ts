/** The schemas of Kubernetes, which a package from PyPI brings along. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../../../stack/downloads.ts'
import { run, runWell } from '../sdk/python.ts'
import type { Ended } from '../sdk/python.ts'

const version = '1.37.0'

async function findProgram(): Promise<string> {
  const folder = join(cacheFolder(process.env), `kubernetes-validate-${version}`)
  const bin = join(folder, 'bin')
  const mark = join(folder, 'complete')
  if (!existsSync(mark)) {
    rmSync(folder, { recursive: true, force: true })
    await runWell('python3', ['-m', 'venv', folder])
    const wanted = `kubernetes-validate==${version}`
    await runWell(join(bin, 'pip'), ['install', '--quiet', wanted])
    writeFileSync(mark, '')
  }
  return join(bin, 'kubernetes-validate')
}

/** Holds every object of a file against the schema of its kind; what is misspelt counts too. */
export async function kubernetesValidate(path: string, kubernetes: string): Promise<Ended> {
  return await run(await findProgram(), ['--strict', '-k', kubernetes, path])
}
