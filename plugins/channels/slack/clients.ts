// A file of its own, so that they are loaded when they are needed: what is imported then from CommonJS itself has no names once
// bundled.
export { SocketModeClient } from '@slack/socket-mode';
export { WebClient } from '@slack/web-api';
