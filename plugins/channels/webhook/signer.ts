// A file of its own, so that it is loaded when it is needed: what is imported then from CommonJS itself has no names once bundled.
export { Webhook as Signer } from 'standardwebhooks';
