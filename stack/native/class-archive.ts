/** Returns Java options that start a service from a class data sharing (CDS) archive. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

const HEAD_BYTES = 4

/**
 * Returns the path of an archive. The path depends on the Java version, because other versions
 * cannot read the archive.
 */
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
 * Records the checksum of an archive after Java has exited. Damaged archives must not be used: Java
 * does not detect all damage, and crashes on a truncated archive.
 */
export function recordArchive(path: string): void {
  if (!existsSync(path) || existsSync(checksumFileOf(path))) return
  const archive = readFileSync(path)
  // Java writes the header last, so an incomplete archive begins with zeros.
  const isComplete = archive.subarray(0, HEAD_BYTES).some((byte) => byte !== 0)
  if (isComplete) writeFileSync(checksumFileOf(path), checksumOf(archive))
}

/**
 * Returns options to use an intact archive, or else to write one. An archive halves the CPU time of
 * startup. Java writes it when the service stops, which takes a few seconds. Ephemeral services do
 * not write one, because they are killed.
 */
export function archiveOptions(path: string, ephemeral: boolean): string[] {
  if (isIntact(path)) return [`-XX:SharedArchiveFile=${path}`]
  if (ephemeral) return []
  for (const each of [path, checksumFileOf(path)]) rmSync(each, { force: true })
  // Disables logging, because Java would log a warning for each class that it cannot archive.
  return [`-XX:ArchiveClassesAtExit=${path}`, '-Xlog:cds=off,cds+dynamic=off']
}
