/** Why a backup cannot be made or restored, in one sentence for the person who asked for it. */
export class BackupError extends Error {}

/** The database that things are moved to could not be reached. */
export class TargetError extends Error {}
