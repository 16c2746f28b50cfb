/** What went wrong with a request, by what a person can do about it. */
export type FailureKind = "token" | "away" | "action" | "offline" | "protocol";

/** A failed request. Its message is safe to show as text. */
export class Failure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly code = "",
    readonly details: unknown = undefined,
  ) {
    super(message);
    this.name = "Failure";
  }
}

/** Says what to do about a failure; empty where its own message does. */
export function nextStep(failure: Failure): string {
  switch (failure.kind) {
    case "token":
      return "Run sdlctl ui again and open the link that it prints. A link works only for the run that printed it.";
    case "away":
      return "Start the daemon with: sdlctl start. This page connects again by itself.";
    case "offline":
      return "The server of this page does not answer. If you ended sdlctl ui, run it again and open the new link.";
    case "protocol":
      return "The page and the server may be of different releases. Reload the page; if that does not help, run sdlctl ui again.";
    case "action":
      return "";
  }
}

/** Any thrown value as a failure. */
export function asFailure(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new Failure("offline", message);
}
