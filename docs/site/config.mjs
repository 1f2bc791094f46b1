// SPDX-License-Identifier: Apache-2.0
//
// How VitePress makes the site. build.mjs puts this file beside the pages, as .vitepress/config.mjs, with a sidebar.json.
import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

export default defineConfig({
  title: 'reactive-netio',
  description: 'RDMA endpoints as Reactive Streams',
  lang: 'en',
  outDir: process.env.NETIO_SITE_OUT,
  cacheDir: '../cache',
  // the Javadoc is put beside the pages when they are made
  ignoreDeadLinks: [/^\.?\/javadoc\//],
  markdown: {
    // as GitHub makes anchors of headings
    anchor: { slugify: (heading) => heading.toLowerCase().replace(/[^\w\- ]/g, '').replace(/ /g, '-') },
    toc: { level: [2, 3] },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guide', link: '/guide' },
      { text: 'Javadoc', link: '/javadoc/index.html', target: '_self' },
      { text: process.env.NETIO_SITE_VERSION, link: '/CHANGELOG' },
    ],
    sidebar: JSON.parse(readFileSync(new URL('./sidebar.json', import.meta.url), 'utf8')),
  },
})
