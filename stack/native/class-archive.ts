/** The Java options that let a service start from an archive of the classes it loads. */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'

const HEAD_BYTES = 4

/** Java writes the head of an archive last: one that it could not finish begins with zeros. */
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

/** Only the Java that wrote an archive can read it. */
export function classArchiveIn(cache: string, program: string, javaVersion: string): string {
  const java = createHash('sha256').update(javaVersion).digest('hex').slice(0, 12)
  return join(cache, `${program}-${java}.jsa`)
}

/**
 * An archive halves the CPU time of a start. Java writes it when the service first stops, which
 * takes some seconds; ephemeral services are killed and cannot write one.
 */
export function archiveOptions(path: string, ephemeral: boolean): string[] {
  if (isComplete(path)) return [`-XX:SharedArchiveFile=${path}`]
  // A warning for each class that has no place in an archive would fill the log.
  return ephemeral ? [] : [`-XX:ArchiveClassesAtExit=${path}`, '-Xlog:cds=off,cds+dynamic=off']
}
