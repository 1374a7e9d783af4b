import { statfs } from 'node:fs/promises'

/** How much of the disk below a folder is free, from 0 to 1. */
export async function freeDiskShare(folder: string): Promise<number> {
  const { bavail, blocks } = await statfs(folder)
  return blocks === 0 ? 1 : bavail / blocks
}
