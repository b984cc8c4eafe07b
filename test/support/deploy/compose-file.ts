/** Parses docker-compose.yml as Compose does, but without environment variables. */
import { parse } from 'yaml'
import { read } from '../../docs/pages.ts'

type Condition = 'service_healthy' | 'service_completed_successfully'

interface ComposeService {
  readonly image: string
  readonly profiles?: readonly string[]
  readonly command?: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly environment?: Readonly<Record<string, string | number>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly restart?: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: Condition }>>
  readonly healthcheck: { readonly disable?: boolean; readonly test?: readonly string[] }
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, null>>
}

export const composeText = read('docker-compose.yml')

/**
 * Contents of docker-compose.yml. `${NAME:-default}` is replaced with its default and `$$` with a
 * dollar sign.
 */
export const composeFile = parse(
  composeText.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1').replaceAll('$$', '$'),
  { merge: true }
) as ComposeFile

export const composeServices = Object.entries(composeFile.services).map(([name, service]) => {
  return { name, ...service }
})

/** Checks whether a service runs once and exits. */
export function isJob({ restart }: ComposeService): boolean {
  return restart === undefined
}

export function isOurs({ image }: ComposeService): boolean {
  return image === 'sluice:local'
}

/**
 * Returns the bind mounts of a service: `./deploy/x:/y:ro` mounts from `./deploy/x` to `/y`. Named
 * volumes are left out.
 */
export function bindMounts({ volumes = [] }: ComposeService): { from: string; to: string }[] {
  return volumes
    .filter((volume) => volume.startsWith('.'))
    .map((volume) => volume.split(':'))
    .map(([from = '', to = '']) => ({ from, to }))
}
