/** Java options that start a service from a class data sharing (CDS) archive. */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'

const HEAD_BYTES = 4

/** Java writes the header of an archive last, so an incomplete archive begins with zeros. */
function isComplete(path: string): boolean {
  try {
    const file = openSync(path, 'r')
    const head = Buffer.alloc(HEAD_BYTES)
    readSync(file, head)
    closeSync(file)
    return head.some((byte) => byte !== 0)
  } catch {
    return false
  }
}

/** The name includes the Java version, because only that version can read the archive. */
export function classArchiveIn(cache: string, program: string, javaVersion: string): string {
  const java = createHash('sha256').update(javaVersion).digest('hex').slice(0, 12)
  return join(cache, `${program}-${java}.jsa`)
}

/**
 * An archive halves the CPU time of a start. Java writes it when the service first stops, in a
 * few seconds; ephemeral services are killed and cannot write one.
 */
export function archiveOptions(path: string, ephemeral: boolean): string[] {
  // Java ignores a damaged archive only where it is asked to look: 70 ms.
  if (isComplete(path)) return [`-XX:SharedArchiveFile=${path}`, '-XX:+VerifySharedSpaces']
  // Java would log a warning for each class that it cannot archive.
  return ephemeral ? [] : [`-XX:ArchiveClassesAtExit=${path}`, '-Xlog:cds=off,cds+dynamic=off']
}
