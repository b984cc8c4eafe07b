/** What a service of ours is as a container, before it is one. */
import type { ServiceName } from '../service.ts'

export type ContainerSpec = {
  name: ServiceName
  /** How sentences call it, e.g. "Kafka". */
  title: string
  image: string
  environment?: Record<string, string>
  command?: string[]
  /** Known beforehand, on the loopback address: Kafka advertises the port it is reached at. */
  ports: { container: number; host: number }[]
  /** The folder inside that holds what has to outlive the container. */
  dataFolder: string
  probe: () => Promise<boolean>
  readyTimeoutMs: number
  stopDeadlineMs: number
}

/** What each of the four is given in order to describe itself. */
export type ContainerContext = {
  /** Nothing is kept, so nothing needs to reach the disk. */
  ephemeral: boolean
  portOf(name: ServiceName): Promise<number>
}
