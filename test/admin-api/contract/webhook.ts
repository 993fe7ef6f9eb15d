/** A webhook with a delivery, for the tests of all endpoints. */
import { type Client, succeeded } from './world.ts';

export async function testedWebhook(client: Client): Promise<{ webhook_id: string; delivery_id: string }> {
  const { body } = succeeded(await client.post('/api/v1/webhooks', { url: 'https://1.1.1.1/events' }));
  const { body: delivery } = succeeded(await client.post(`/api/v1/webhooks/${body.id}/test`, {}));
  return { webhook_id: String(body.id), delivery_id: String(delivery.id) };
}
