/** Why the embedded server cannot be had, in one sentence for the person who starts the service. */
export class EmbeddedServerError extends Error {}
