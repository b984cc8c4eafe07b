/** A Vite plugin that writes a Brotli and a gzip file next to each text file of the build. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

const compressible = /[.](css|html|js|map|svg)$/

export function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    writeBundle: async ({ dir = '' }) => {
      const names = await readdir(dir, { recursive: true })
      const paths = names.filter((name) => compressible.test(name)).map((name) => join(dir, name))
      await Promise.all(paths.map(compressFile))
    }
  }
}

async function compressFile(path: string): Promise<void> {
  const bytes = await readFile(path)
  await writeFile(`${path}.br`, brotliCompressSync(bytes))
  await writeFile(`${path}.gz`, gzipSync(bytes, { level: 9 }))
}
