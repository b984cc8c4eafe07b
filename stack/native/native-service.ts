/** Defines the context in which a native service starts: folders, downloads and Java options. */
import type { DownloadName, Downloads } from '../downloads.ts'
import type { ServiceName } from '../service.ts'
import type { Supervisor } from '../processes/supervisor.ts'

export type NativeContext = {
  supervisor: Supervisor
  downloads: Downloads
  /** Creates and returns the folder of the service in data/. Only its owner can access it. */
  folderOf(name: ServiceName): string
  portOf(name: ServiceName): Promise<number>
  ephemeral: boolean
  /** Path of the java command. */
  java: string
  /** Returns Java options that make the program start faster. */
  archiveOptions(program: DownloadName): string[]
  /** Aborted to cancel startup. */
  signal: AbortSignal
  onDownload(name: ServiceName, detail: string): void
  onStarting(name: ServiceName, detail: string): void
}
