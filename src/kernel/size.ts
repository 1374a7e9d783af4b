const units = [
  ['MiB', 1024 * 1024],
  ['KiB', 1024],
] as const

/** A limit as people say it: `10 MiB`; to the byte where it is none of these. */
export function sizeInWords(bytes: number): string {
  const [unit, size] = units.find(([, each]) => bytes >= each && bytes % each === 0) ?? ['bytes', 1]
  return `${bytes / size} ${unit}`
}
