const units = [
  ['MiB', 1024 * 1024],
  ['KiB', 1024],
] as const

/** A limit in the units that people use, such as `10 MiB`; in bytes if it is not a whole number of these. */
export function sizeInWords(bytes: number): string {
  const [unit, size] = units.find(([, each]) => bytes >= each && bytes % each === 0) ?? ['bytes', 1]
  return `${bytes / size} ${unit}`
}
