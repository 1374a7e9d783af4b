export type { Api, Schemas } from './api.ts'
export type { Upload, UploadFile } from './body.ts'
export { type CallOptions, type Client, createClient, type Listing } from './client.ts'
export { type Called, ConnectionError, type Issue, type Problem, ProblemError } from './errors.ts'
export type { Call, ClientOptions } from './transport.ts'
export {
  type CertificateCheck,
  type Delivery,
  type DeliveryHeaders,
  SignatureError,
  verifyTransmission,
  verifyWebhook,
  type WebhookEvent,
} from './webhooks.ts'
