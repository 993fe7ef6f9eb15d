export { eventRoutes } from './routes.ts';
export { EventStreams } from './streams.ts';
