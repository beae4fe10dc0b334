import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { messageOf, type Observer } from 'patchbay-sdk';
import { GivenIds, spanIdOf, traceIdOf } from './ids.ts';
import { deliverySpan, type SpanFacts, Spans } from './spans.ts';

/** Where spans go. */
export interface OtelSettings {
  /** Where OTLP over HTTP is taken, as in `http://127.0.0.1:4318`; `/v1/traces` is added where it has no path. */
  readonly endpoint: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** @default patchbay */
  readonly service?: string | undefined;
}

/** Sends a span for each run, turn, call of a tool and hook that was told, by OTLP. */
export function otelObserver({ endpoint, headers = {}, service = 'patchbay' }: OtelSettings): Observer {
  const ids = new GivenIds();
  const spans = new Spans();
  const exporter = new OTLPTraceExporter({ url: tracesUrl(endpoint), headers: { ...headers } });
  const provider = new TracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 1000 })],
  });
  const tracer = provider.getTracer('patchbay');
  const undo: (() => void)[] = [];

  const send = (facts: SpanFacts | undefined) => {
    if (facts === undefined) return;
    ids.trace = traceIdOf(facts.trace);
    ids.span = spanIdOf(facts.id);
    const { parent, from, to, attributes, error } = facts;
    const around =
      parent === null
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            traceId: ids.trace,
            spanId: spanIdOf(parent),
            traceFlags: TraceFlags.SAMPLED,
          });
    const span = tracer.startSpan(facts.name, { startTime: from, kind: SpanKind.INTERNAL, attributes }, around);
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
    span.end(to);
  };

  return {
    name: 'otel',
    subscribe: (bus) => {
      undo.push(
        bus.subscribe('*', (event) => send(spans.take(event))),
        bus.subscribe('delivery:settled', (delivery) => send(deliverySpan(delivery))),
      );
    },
    close: async () => {
      for (const off of undo.splice(0)) off();
      try {
        await provider.forceFlush();
      } catch (errors) {
        // One, or a list of what each attempt came to.
        const [first] = [errors].flat();
        throw new Error(`the last spans could not be sent to ${endpoint}: ${messageOf(first)}`);
      } finally {
        await provider.shutdown().catch(() => {});
      }
    },
  };
}

function tracesUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (url.pathname === '/') url.pathname = '/v1/traces';
  return url.href;
}
