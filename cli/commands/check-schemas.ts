/** `sluice schemas check`: each version of an Avro schema against those before it. */
import { avroContracts, readAvroFiles, releasedSchemas } from '../../schemas/index.ts'
import { judgeSchemas } from '../schemas/judge-schemas.ts'

/** @throws with everything that is wrong, and where to read on. */
export function checkSchemas(write: (line: string) => void): void {
  const texts = readAvroFiles()
  const written = avroContracts.map(({ file }) => file)
  const wrong = judgeSchemas({ texts, released: releasedSchemas, written })
  if (wrong.length > 0) {
    const advice = 'schemas/README.md says how a schema changes, and what to do when it cannot'
    throw new Error(['the Avro schemas cannot be published', ...wrong, advice].join('\n  '))
  }
  write(`schemas: ${[...texts.keys()].join(', ')} may follow each other`)
}
