/** Describes the container of a service. */
import type { ServiceName } from '../service.ts'

export type ContainerSpec = {
  name: ServiceName
  /** Service name for messages, for example "Kafka". */
  title: string
  image: string
  environment?: Record<string, string>
  command?: string[]
  /**
   * Port mappings on the loopback address. Host ports are chosen before startup, because Kafka must
   * advertise its own.
   */
  ports: { container: number; host: number }[]
  /** Folder inside the container with the persistent data. */
  dataFolder: string
  probe: () => Promise<boolean>
  readyTimeoutMs: number
  stopDeadlineMs: number
}

/** Options that all containers of a stack share. */
export type ContainerContext = {
  /** Whether the data is discarded on shutdown, and therefore never synced to disk. */
  ephemeral: boolean
  portOf(name: ServiceName): Promise<number>
}
