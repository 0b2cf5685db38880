import * as z from 'zod';

const request = <M extends string, S extends z.ZodRawShape>(method: M, shape: S) =>
  z.object({
    type: z.literal('extension_ui_request'),
    id: z.string(),
    method: z.literal(method),
    ...shape,
    /** Who asks (additive). */
    extension: z.object({ name: z.string(), path: z.string(), level: z.string() }).optional(),
  });
const timeout = { timeout: z.number().optional() };

/** Source: rpc-mode document, "Extension UI protocol". The first four wait for an answer; the others do not. */
export const UiRequestSchema = z.discriminatedUnion('method', [
  request('select', { title: z.string(), options: z.array(z.string()), ...timeout }),
  request('confirm', { title: z.string(), message: z.string(), ...timeout }),
  request('input', { title: z.string(), placeholder: z.string().optional(), ...timeout }),
  request('editor', { title: z.string(), prefill: z.string().optional() }),
  request('notify', { message: z.string(), notifyType: z.enum(['info', 'warning', 'error']).optional() }),
  request('setStatus', { statusKey: z.string(), statusText: z.string().optional() }),
  request('setWidget', {
    widgetKey: z.string(),
    widgetLines: z.array(z.string()).optional(),
    widgetPlacement: z.enum(['aboveEditor', 'belowEditor']).optional(),
  }),
  request('setTitle', { title: z.string() }),
  request('set_editor_text', { text: z.string() }),
]);

/** A client's answer to a dialog: one of the three. */
export const UiResponseSchema = z.object({
  type: z.literal('extension_ui_response'),
  id: z.string(),
  value: z.string().optional(),
  confirmed: z.boolean().optional(),
  cancelled: z.boolean().optional(),
});

export type UiRequest = z.infer<typeof UiRequestSchema>;
export type UiMethod = UiRequest['method'];
export type UiResponse = z.infer<typeof UiResponseSchema>;
