// SPDX-License-Identifier: Apache-2.0
//
// Checks the files that GitHub reads: node check.mjs ROOT MODULES, where MODULES is the folder with what package.json names.
// Workflows: by the parser and the schema that GitHub publishes, with their expressions. What else is in .github as YAML:
// whether it is YAML, and whether the folders of dependabot.yml have what Dependabot looks for; no package of npm has a current
// schema of these.
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { createRequire, register } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [root, modules] = process.argv.slice(2).map((path) => resolve(path))
const manifests = { maven: 'pom.xml', npm: 'package-lock.json', 'github-actions': '.github/workflows' }
const require = createRequire(join(modules, 'package.json'))
// the language service imports its schema in a way that bundlers know and Node.js does not
register(`data:text/javascript,${encodeURIComponent(`export const load = (url, context, next) =>
  next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context)`)}`)
const { validate } = await import(pathToFileURL(join(modules, 'node_modules/@actions/languageservice/dist/index.js')))
const { TextDocument } = require('vscode-languageserver-textdocument')
const yaml = require('yaml')

const findings = []

/** All YAML files of a folder in .github, by their path in the repository. */
function yamlOf(folder) {
  return readdirSync(join(root, folder)).filter((name) => /\.ya?ml$/.test(name)).map((name) => `${folder}/${name}`)
}

async function checkWorkflow(path) {
  const document = TextDocument.create(pathToFileURL(join(root, path)).href, 'yaml', 1, readFileSync(join(root, path), 'utf8'))
  for (const { range, message } of await validate(document)) findings.push(`${path}:${range.start.line + 1}: ${message}`)
}

/** What the YAML file has in it. */
function parsed(path) {
  const document = yaml.parseDocument(readFileSync(join(root, path), 'utf8'))
  for (const { linePos, message } of [...document.errors, ...document.warnings]) {
    findings.push(`${path}:${linePos?.[0].line ?? 1}: ${message.split('\n')[0]}`)
  }
  return document.errors.length > 0 ? undefined : document.toJS()
}

function checkDependabot(path) {
  for (const { 'package-ecosystem': ecosystem, directory, directories } of parsed(path)?.updates ?? []) {
    for (const folder of directories ?? [directory]) {
      if (!existsSync(join(root, `${folder}`, manifests[ecosystem] ?? ''))) {
        findings.push(`${path}: ${ecosystem} finds no ${manifests[ecosystem] ?? 'folder'} in ${folder}`)
      }
    }
  }
}

const workflows = yamlOf('.github/workflows')
if (workflows.length === 0) throw new Error(`${root}/.github/workflows has no workflow`)
for (const path of workflows) await checkWorkflow(path)
const forms = yamlOf('.github/ISSUE_TEMPLATE')
for (const path of forms) parsed(path)
checkDependabot('.github/dependabot.yml')
for (const finding of findings) console.error(finding)
if (findings.length > 0) process.exit(1)
console.log(`${workflows.length} workflows are right; ${forms.length + 1} other files for GitHub are YAML`)
