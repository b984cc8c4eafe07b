/** `sluice schemas check`: checks each Avro schema version for compatibility with earlier versions.
 */
import { avroContracts, readAvroFiles, releasedSchemas } from '../../schemas/index.ts'
import { checkCompatibility } from '../schemas/check-compatibility.ts'

/**
 * Prints the names of the compatible schemas.
 * @throws {Error} that lists all problems and refers to schemas/README.md
 */
export function checkSchemas(write: (line: string) => void): void {
  const texts = readAvroFiles()
  const written = avroContracts.map(({ file }) => file)
  const wrong = checkCompatibility({ texts, released: releasedSchemas, written })
  if (wrong.length > 0) {
    const advice = 'see schemas/README.md for how to change a schema'
    throw new Error(['the Avro schemas are not compatible', ...wrong, advice].join('\n  '))
  }
  write(`schemas: ${[...texts.keys()].join(', ')} are compatible`)
}
