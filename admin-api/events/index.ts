export { EventStreams } from './event-stream.ts';
export type { OpenStreams } from './open-streams.ts';
export { eventRoutes } from './routes.ts';
export { type NextEvents, RETRY_LINE, SentEvents, type SentEventsOptions, streamReply } from './sent-events.ts';
