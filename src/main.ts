#!/usr/bin/env node
import module from 'node:module'

const LEFTOVERS_MS_MAX = 2_000

// Where Node can, from version 22 on, it keeps what it compiled for the next start.
const { enableCompileCache } = module as { enableCompileCache?: () => void }
enableCompileCache?.()

const { runCommand } = await import('./cli/run.ts')
process.exitCode = await runCommand(process.argv.slice(2), process.env)
// Whatever a command forgot to close must not keep the process, and whoever waits for it, any longer.
setTimeout(() => process.exit(), LEFTOVERS_MS_MAX).unref()
