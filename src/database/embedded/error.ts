/** Why the embedded server cannot be had, in one sentence for the person who starts the service. */
export class EmbeddedServerError extends Error {}

/** What passes by itself: a server that is ending under our hands, or another start that was faster. */
export class NotYetError extends Error {}
