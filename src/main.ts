#!/usr/bin/env node
import { runCommand } from './cli/run.ts'

const LEFTOVERS_MS_MAX = 2_000

// Whoever ends npx ends the shell between npx and us, and neither tells us.
if (process.env['npm_command'] === 'exec') process.env['STOP_WITH_PARENT'] ??= 'true'

process.exitCode = await runCommand(process.argv.slice(2), process.env)
// What was printed goes out to the end, however slowly it is read: a pager reads a page, and then no more for a while.
for (const stream of [process.stdout, process.stderr]) await new Promise((resolve) => stream.write('', resolve))
// Whatever a command forgot to close must not keep the process, and whoever waits for it, any longer.
setTimeout(() => process.exit(), LEFTOVERS_MS_MAX).unref()
