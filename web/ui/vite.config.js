import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

// sources is the digest of everything that the pages are built from. A test compares it with the files, so that nobody
// forgets to build.
function sources(root) {
  const files = [];
  const walk = (dir) => {
    for (const e of readdirSync(dir, { withFileTypes: true })) {
      if (e.name === 'node_modules') continue;
      const path = join(dir, e.name);
      if (e.isDirectory()) walk(path);
      else files.push(relative(root, path).split('\\').join('/'));
    }
  };
  walk(root);
  files.sort((a, b) => (a < b ? -1 : 1));
  const all = createHash('sha256');
  for (const f of files) {
    all.update(createHash('sha256').update(readFileSync(join(root, f))).digest('hex') + ' ' + f + '\n');
  }
  return all.digest('hex') + '\n';
}

export default defineConfig({
  plugins: [
    svelte({ compilerOptions: { css: 'external' } }),
    {
      name: 'sources',
      writeBundle(options) {
        writeFileSync(join(options.dir, 'SOURCES'), sources(import.meta.dirname));
      },
    },
  ],
  build: {
    outDir: process.env.BUNRAKU_DIST ?? '../dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
  },
});
