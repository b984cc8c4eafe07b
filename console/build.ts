/** Builds the console into console/dist: hashed assets, each also compressed. */
import { build } from 'vite'
import { compress } from './compress.ts'

await build({
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'warn',
  base: '/console/',
  plugins: [compress()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    sourcemap: true,
    // The Content-Security-Policy allows no data: URLs except images, and each file is cached.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false
  }
})
