// SPDX-License-Identifier: Apache-2.0
//
// Makes a site of the documents: node build.mjs ROOT STATE OUT. ./netio docs calls it, in a folder with VitePress.
// Links between pages stay links; those to other files of the repository lead to the URL that pom.xml names.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, normalize, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [root, state, out] = process.argv.slice(2).map((path) => resolve(path))
const pages = join(state, 'pages')
const pom = readFileSync(join(root, 'pom.xml'), 'utf8')
const element = (name) => pom.match(new RegExp(`<${name}>(.*?)</${name}>`))[1]
const repository = element('url')

/** The folder of the small programs: links to it lead to the page that is made of it. */
const ladder = 'examples/ladder/src/main/java/io/reactivenetio/examples/ladder'

/** Where each page is on the site, by its path in the repository. */
function placed() {
  const places = new Map([['README.md', 'index.md'], ['docs/README.md', 'contents.md'],
    ['.github/CODE_OF_CONDUCT.md', 'CODE_OF_CONDUCT.md'], [ladder, 'examples.md']])
  for (const name of readdirSync(root)) {
    if (name.endsWith('.md') && name !== 'README.md') places.set(name, name)
  }
  for (const name of readdirSync(join(root, 'docs'))) {
    if (name.endsWith('.md') && name !== 'README.md') places.set(`docs/${name}`, name)
  }
  return places
}

/** The comment in front of a class or package, as Markdown. */
const comment = (java) => java.match(/\/\*\*\n([^]*?)\n \*\/\n(?:@NullMarked|public final class)/)[1]
  .replace(/^ \* ?/mg, '').replace(/\{@code\s+([^}]*)}/g, '`$1`').replace(/\{@link \S*\.(\w+)}/g, '`$1`')

/** The page of the small programs: what each shows, what it prints, and its source. */
function examples() {
  const source = (file) => readFileSync(join(root, ladder, file), 'utf8')
  const listed = [...source('Ladder.java').matchAll(/new Example\("([^"]*)", (\w+)\.class, "([^"]*)"/g)]
  if (listed.length !== readdirSync(join(root, 'examples/ladder/src/test/resources/printed')).length) {
    throw new Error(`Ladder.java has been read as ${listed.length} examples`)
  }
  return ['# Examples', comment(source('package-info.java')),
    '| example | what it shows |\n|---|---|\n' + listed.map(([, name, , about]) => `| [\`${name}\`](#${name}) | ${about} |`).join('\n'),
    ...listed.map(([, name, type]) => {
      const java = source(`${type}.java`)
      const printed = readFileSync(join(root, `examples/ladder/src/test/resources/printed/${name}.txt`), 'utf8')
      return `## ${name}\n${comment(java)}\n\n    ./netio example ${name}\n\n\`\`\`text\n${printed}\`\`\`\n\n\`\`\`java\n${java}\`\`\``
    })].join('\n\n') + '\n'
}

/** The text of a page as it is in the repository, or made of it. */
function text(path) {
  return path === ladder ? examples() : readFileSync(join(root, path), 'utf8')
}

/** The text of a page with links as they have to be on the site. Blocks of code are left alone. */
function rewritten(path, places) {
  const here = dirname(places.get(path))
  const link = (whole, target, anchor) => {
    if (target === '') return whole
    const wanted = normalize(join(dirname(path), target))
    if (places.has(wanted)) return `](./${relative(here, places.get(wanted))}${anchor ?? ''})`
    if (/^docs\/(pictures|charts)\//.test(wanted)) return `](./${relative(here, wanted.replace(/^docs\//, ''))})`
    if (!existsSync(join(root, wanted))) throw new Error(`${path}: ${target} is not there`)
    return `](${repository}/blob/main/${wanted}${anchor ?? ''})`
  }
  return text(path).split(/(^```[\s\S]*?^```$)/m)
    .map((part) => part.startsWith('```') ? part : part.replace(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g, link)).join('')
}

/** The list of pages of docs/README.md, each page under its own title. */
function sidebar(places) {
  const groups = []
  for (const line of readFileSync(join(root, 'docs/README.md'), 'utf8').split('\n')) {
    const item = line.match(/^- \[[^\]]*\]\(([^)#]*)\)/)
    if (line.startsWith('## ')) groups.push({ text: line.slice(3), items: [] })
    if (!item) continue
    const path = normalize(join('docs', item[1]))
    const title = path === 'README.md' ? 'What it is' : text(path).match(/^# (.*)$/m)[1]
    groups.at(-1).items.push({ text: title, link: `/${places.get(path).replace(/(index)?\.md$/, '')}` })
  }
  return groups
}

/** Every link of a page to a page of the site, or to the Javadoc, leads to something. */
function check(files) {
  const broken = []
  const html = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
  for (const [file, text] of html) {
    for (const [, href] of text.matchAll(/<a\b[^>]*?\bhref="([^"]*)"/g)) {
      if (/^[a-z]+:/.test(href)) continue
      const [path, anchor] = decodeURI(href).split('#')
      let target = path === '' ? file : path.startsWith('/') ? join(out, path) : join(dirname(file), path)
      if (existsSync(target) && statSync(target).isDirectory()) target = join(target, 'index.html')
      if (!existsSync(target) && existsSync(`${target}.html`)) target += '.html'
      if (!existsSync(target)) broken.push(`${basename(file)}: ${href}`)
      else if (anchor && !(html.get(target) ?? readFileSync(target, 'utf8')).includes(`id="${anchor}"`)) {
        broken.push(`${basename(file)}: ${href}`)
      }
    }
  }
  if (broken.length > 0) throw new Error(`links of the site that lead nowhere:\n${[...new Set(broken)].join('\n')}`)
}

const places = placed()
rmSync(pages, { recursive: true, force: true })
mkdirSync(join(pages, '.vitepress'), { recursive: true })
for (const folder of ['pictures', 'charts']) cpSync(join(root, 'docs', folder), join(pages, folder), { recursive: true })
for (const [from, to] of places) writeFileSync(join(pages, to), rewritten(from, places))
cpSync(join(root, 'docs/site/config.mjs'), join(pages, '.vitepress/config.mjs'))
writeFileSync(join(pages, '.vitepress/sidebar.json'), JSON.stringify(sidebar(places)))
process.env.NETIO_SITE_OUT = out
process.env.NETIO_SITE_VERSION = element('version')
process.chdir(state)
const { build } = await import(pathToFileURL(join(state, 'node_modules/vitepress/dist/node/index.js')))
await build(pages)
if (existsSync(join(state, 'javadoc'))) cpSync(join(state, 'javadoc'), join(out, 'javadoc'), { recursive: true })
const made = readdirSync(out).filter((name) => name.endsWith('.html')).map((name) => join(out, name))
check(made.filter((file) => basename(file) !== '404.html'))
console.log(`${places.size} pages`)
