import { describedRoutes } from './app.ts'
import { readSettings, settings } from './config.ts'
import { describeApi } from './http/openapi.ts'
import { dialects } from './kernel/dialect.ts'
import type { Service } from './room.ts'
import { version } from './version.ts'

/** The service as the printed documents describe it: a sandbox with default settings. */
export const describedService: Service = {
  environment: 'sandbox',
  dialect: dialects.service,
  settings: readSettings({}),
  publicUrl: 'http://127.0.0.1:8080',
}

/** Every file that is printed from source, with its path below the root of the repository. */
export function printedFiles(): { path: string; text: string }[] {
  const api = describeApi(describedRoutes(describedService), { version })
  return [
    { path: 'openapi.json', text: `${JSON.stringify(api, null, 2)}\n` },
    { path: 'docs/configuration.md', text: configurationPage() },
  ]
}

function configurationPage(): string {
  const rows = Object.values(settings).map(({ variable, initial, initialText, form, description }) => {
    const shown = initialText ?? (initial === undefined ? 'none' : `\`${String(initial)}\``)
    return `| \`${variable}\` | ${form} | ${shown} | ${description} |`
  })
  return `# Configuration

Every setting is an environment variable, and a flag of the same name in lower case with dashes, without the word
\`quittance\`: \`QUITTANCE_DATA_DIR\` is \`--data-dir\`, \`PORT\` is \`--port\`. A flag wins over a variable.

This page is printed from \`src/config.ts\` by \`npm run docs\`.

| Variable | Form | Default | What it does |
|---|---|---|---|
${rows.join('\n')}
`
}
