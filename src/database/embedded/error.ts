/** Why the embedded server cannot be had, in one sentence for the person who starts the service. */
export class EmbeddedServerError extends Error {}

/** Conditions that pass by themselves, such as a server that is just ending, or another start that was faster. */
export class NotYetError extends Error {}

/** PostgreSQL's and the operating system's own words for a full disk. */
export const saysDiskFull = (said: string) => /no space left on device|\bENOSPC\b|disk quota exceeded/i.test(said)

export const diskIsFull = (folder: string) =>
  new EmbeddedServerError(
    `The disk of ${folder} is full: free some space, or set QUITTANCE_DATA_DIR to a folder on another disk.`,
  )
