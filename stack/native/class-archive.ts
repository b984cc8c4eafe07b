/** Java options that start a service from a class data sharing (CDS) archive. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

const HEAD_BYTES = 4

/** The name includes the Java version, because only that version can read the archive. */
export function classArchiveIn(cache: string, program: string, javaVersion: string): string {
  const java = createHash('sha256').update(javaVersion).digest('hex').slice(0, 12)
  return join(cache, `${program}-${java}.jsa`)
}

function checksumFileOf(path: string): string {
  return `${path}.crc32`
}

function checksumOf(archive: Buffer): string {
  return `${archive.length} ${crc32(archive)}`
}

function isIntact(path: string): boolean {
  try {
    return readFileSync(checksumFileOf(path), 'utf8') === checksumOf(readFileSync(path))
  } catch {
    return false
  }
}

/**
 * Call this once Java has ended: an archive is used only while it is as Java wrote it. Java itself
 * ignores some damage, and a truncated archive crashes it.
 */
export function recordArchive(path: string): void {
  if (!existsSync(path) || existsSync(checksumFileOf(path))) return
  const archive = readFileSync(path)
  // Java writes the header last, so an incomplete archive begins with zeros.
  const isComplete = archive.subarray(0, HEAD_BYTES).some((byte) => byte !== 0)
  if (isComplete) writeFileSync(checksumFileOf(path), checksumOf(archive))
}

/**
 * An archive halves the CPU time of a start. Java writes it when the service first stops, in a
 * few seconds; ephemeral services are killed and cannot write one. A damaged one is written again.
 */
export function archiveOptions(path: string, ephemeral: boolean): string[] {
  if (isIntact(path)) return [`-XX:SharedArchiveFile=${path}`]
  if (ephemeral) return []
  for (const each of [path, checksumFileOf(path)]) rmSync(each, { force: true })
  // Java would log a warning for each class that it cannot archive.
  return [`-XX:ArchiveClassesAtExit=${path}`, '-Xlog:cds=off,cds+dynamic=off']
}
