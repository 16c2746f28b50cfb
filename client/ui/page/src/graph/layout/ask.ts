import workerSource from "../../../build/layout-worker.txt";
import type { MapInput, MapLayout } from "./map";

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown };
}

/** The worker's address, in the form that a page with trusted types wants. Its text is part of the page. */
function workerAddress(): string {
  const address = URL.createObjectURL(new Blob([workerSource], { type: "text/javascript" }));
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  policy ??= types?.createPolicy("sdl-worker", { createScriptURL: (url) => url });
  return (policy ? policy.createScriptURL(address) : address) as string;
}

let policy: ReturnType<TrustedTypes["createPolicy"]> | undefined;

/** Lays out a map in a worker. */
export function askLayout(input: MapInput, signal: AbortSignal): Promise<MapLayout> {
  return new Promise((resolve, reject) => {
    const address = workerAddress();
    const worker = new Worker(address);
    const end = (): void => {
      worker.terminate();
      URL.revokeObjectURL(String(address));
    };
    worker.onmessage = (event: MessageEvent<MapLayout>) => {
      end();
      resolve(event.data);
    };
    worker.onerror = (event) => {
      end();
      reject(new Error(event.message || "The layout could not be computed."));
    };
    signal.addEventListener("abort", () => {
      end();
      reject(new DOMException("aborted", "AbortError"));
    });
    worker.postMessage(input);
  });
}
