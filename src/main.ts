#!/usr/bin/env node
import { runCommand } from './cli/run.ts'

const LEFTOVERS_MS_MAX = 2_000

process.exitCode = await runCommand(process.argv.slice(2), process.env)
// Whatever a command forgot to close must not keep the process, and whoever waits for it, any longer.
setTimeout(() => process.exit(), LEFTOVERS_MS_MAX).unref()
