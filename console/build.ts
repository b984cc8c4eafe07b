/** Builds the console into console/dist, or into the folder given as an argument: assets with a
 * hash in their names, and compressed copies. Replaces the folder only at the end, so that no
 * gateway serves half of a build.
 */
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { compress } from './compress.ts'

const folder = process.argv[2] ?? join(import.meta.dirname, 'dist')
const next = `${folder}.next`

await build({
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'error',
  base: '/console/',
  plugins: [compress()],
  build: {
    outDir: next,
    emptyOutDir: true,
    sourcemap: true,
    // The Content-Security-Policy allows data: URLs only for images. Separate files are cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Bundles the first page in one file, although lazy pages share parts of it.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'initial', tags: ['$initial'] }] } }
    },
    reportCompressedSize: false
  }
})

rmSync(folder, { recursive: true, force: true })
renameSync(next, folder)
