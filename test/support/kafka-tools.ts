/** Installs Kafka's command-line tools under their usual names. */
import { chmodSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cacheFolder, createDownloads } from '../../stack/downloads.ts'
import { javaCommand, problemsOf, thisMachine } from '../../stack/preflight.ts'

const mainClasses = {
  'kafka-acls.sh': 'org.apache.kafka.tools.AclCommand',
  'kafka-consumer-groups.sh': 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand'
}

/**
 * Checks whether the tools can be installed and run. They need Java, and Maven to download them.
 */
export function hasKafkaTools(): boolean {
  return problemsOf('native', thisMachine(tmpdir())).length === 0
}

/** Writes one executable script per tool to the folder. */
export async function installKafkaTools(folder: string): Promise<void> {
  const downloads = createDownloads(cacheFolder(process.env))
  const classPath = join(await downloads.fetch('kafka-tools-4.3.1', () => {}), '*')
  const options = '-Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC'
  const java = `exec "${javaCommand(process.env)}" ${options}`
  for (const [name, mainClass] of Object.entries(mainClasses)) {
    const program = join(folder, name)
    writeFileSync(program, `#!/bin/sh\n${java} -cp "${classPath}" ${mainClass} "$@"\n`)
    chmodSync(program, 0o755)
  }
}
