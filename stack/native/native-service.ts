/** What each of the native services is given in order to start itself. */
import type { DownloadName, Downloads } from '../downloads.ts'
import type { ServiceName } from '../service.ts'
import type { Supervisor } from '../processes/supervisor.ts'

export type NativeContext = {
  supervisor: Supervisor
  downloads: Downloads
  /** Creates the service's own folder under data/, for its owner only. */
  folderOf(name: ServiceName): string
  portOf(name: ServiceName): Promise<number>
  ephemeral: boolean
  /** The java to run. */
  java: string
  /** Java options that make this program start faster. */
  archiveOptions(program: DownloadName): string[]
  /** Aborted when the start is given up. */
  signal: AbortSignal
  onDownload(name: ServiceName, detail: string): void
  onStarting(name: ServiceName, detail: string): void
}
