import type { RoomReference } from '../kernel/reference.ts'
import { webhookFields } from './fields.ts'
import { webhookIssues } from './issues.ts'

export const webhooksReference: RoomReference = {
  operations: {
    createWebhook:
      'From now on every event of the named kinds is posted to the address, signed twice: with a certificate, and with the secret in this answer. Keep the secret; it is shown here and when the webhook is shown.',
    listWebhooks: 'The webhooks of the app, or of all apps of its account.',
    showWebhook: 'One webhook with its events and its signing secret.',
    updateWebhook:
      'Changes the address or the list of events with a JSON patch. What is under way goes to the new address.',
    deleteWebhook: 'Nothing is posted to it any more, and what was waiting for it is dropped.',
    listEventTypesOfWebhook: 'The events of one webhook, with what each means.',
    rotateWebhookSecret:
      'A new secret for when the old one may be known to others. For a day, or as long as you say, deliveries are signed with both, so that nothing is lost while you change it.',
    enableWebhook:
      'A webhook that was disabled gets events again; failing disables none. What it missed is sent with replayEvents.',
    disableWebhook: 'Nothing is posted to it until it is enabled; its events are kept as failed.',
    createWebhookLookup:
      'An app hears of what it called for. With a lookup it also hears of what nobody called for: payments on the page, deadlines, what the other side does.',
    listWebhookLookups: 'The lookup of the app, where it has one.',
    showWebhookLookup: 'One lookup, and which app it is for.',
    deleteWebhookLookup: 'The app hears only of what it called for again.',
    listEventTypes: 'Every kind of event that can be subscribed to, with what it means.',
    listEvents:
      'What happened, whether or not a webhook heard of it: 30 days back unless you say otherwise, newest first, a page at a time.',
    showEvent: 'The very body that was posted, and how its delivery to each webhook went.',
    resendEvent:
      'Posts an event again, to all webhooks of the app that name it now, or to some. The event and its id stay the same.',
    simulateEvent:
      'For trying a receiver: an event of any kind with a sample resource, stored, signed and verifiable like a real one. Nothing stands behind the sample: the links in it answer 404.',
    verifyWebhookSignature:
      'Give it the headers and the body of a delivery, and it says whether both are ours. Receivers can also check it themselves, without a call.',
    showCertificate:
      'The certificate chain as PEM. Keep it under its address and look there again every day: one that was withdrawn answers 404.',
    listTransmissions: 'Ways of events to webhooks, newest first: what waits, what arrived, and what nobody took.',
    showTransmission:
      'One transmission with every attempt: what was answered, how long it took, and when the next one is.',
    attemptTransmission: 'Does not wait for the next attempt. Also revives what failed for good.',
    replayEvents:
      'After an outage of yours: sends what has not arrived in a span of time, or everything, up to 10,000 events at once.',
  },
  fields: webhookFields,
  issues: webhookIssues,
}
